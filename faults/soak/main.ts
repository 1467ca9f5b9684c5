import { conclude } from '../../bench/report/conclude.ts';
import { soakReport } from '../../bench/report/soak.ts';
import { removeAbandonedRuns } from '@chatd/test-server/temporary-directory';
import { BUSES } from '../deployment/deployment.ts';
import { startPostgres } from '../deployment/postgres.ts';
import { leaksIn, trendsOf } from './leaks.ts';
import { toSoakResult } from './result.ts';
import { soak } from './soak.ts';
import { sampleLine, summary } from './console-output.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

/*
 * The soak test: mixed load on a real deployment with periodic restarts. Exits with code 1 if a check fails, a kind of load
 * does not occur, or a resource leaks.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    bus: { type: 'string', default: 'postgres' },
    replicas: { type: 'string', default: '3' },
    users: { type: 'string', default: '12' },
    'restart-every': { type: 'string', default: '60' },
    'crash-every': { type: 'string', default: '15' },
    'sample-every': { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    keep: { type: 'boolean', default: false },
  },
});
const bus = BUSES.find((one) => one === values.bus);
const about = {
  minutes: Number(values.minutes),
  replicas: Number(values.replicas),
  users: Number(values.users),
  restartEverySeconds: Number(values['restart-every']),
  crashEveryMinutes: Number(values['crash-every']),
  sampleEverySeconds: Number(values['sample-every']),
  seed: Number(values.seed),
};
if (
  bus === undefined ||
  Object.values(about).some((value) => !(value >= 0)) ||
  !(about.minutes > 0 && about.replicas >= 2 && about.users >= 1) ||
  !(about.restartEverySeconds > 0 && about.sampleEverySeconds > 0)
) {
  console.error(
    `Usage: npm run soak -- [--minutes 60] [--bus ${BUSES.join('|')}] [--keep]
  --replicas 3       replicas; the first is never restarted
  --users 12         simulated users
  --restart-every 60 seconds between restarts of replicas, by SIGTERM or kill -9
  --crash-every 15   minutes between restarts of PostgreSQL with -m immediate; 0: never
  --sample-every 5   seconds between samples
  --seed 1           seed of random choices
  --keep             store the result in bench/results/soak.json`,
  );
  process.exit(2);
}

// Exit handlers stop the child processes.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

const PRINT_EVERY_MS = Math.min(60_000, about.minutes * 6000);
let printedAt = Number.NEGATIVE_INFINITY;
await removeAbandonedRuns();
const postgres = await startPostgres();
console.log(
  `${about.minutes} minutes, bus ${bus}, ${about.replicas} replicas, ${about.users} simulated users, PostgreSQL ${postgres.version}, Node ${process.version}`,
);
try {
  const run = await soak({
    ...about,
    bus,
    postgres,
    now: () => performance.now(),
    onSample(sample, eventLog, problems) {
      if (sample.atMs - printedAt < PRINT_EVERY_MS) return;
      printedAt = sample.atMs;
      console.log(sampleLine(sample, eventLog, problems));
    },
    onProblem: (problem) => console.log(`FAILED: ${problem}`),
  });
  const trends = trendsOf(run.eventLog.samples);
  const leaks = leaksIn(trends);
  console.log(summary(run, trends, leaks));
  const versions = { PostgreSQL: postgres.version };
  const data = toSoakResult({ ...about, bus }, run, trends);
  await conclude(soakReport, { data, versions }, { keep: values.keep });
  process.exitCode = run.problemsFound === 0 && leaks.length === 0 ? 0 : 1;
} finally {
  await postgres.stop();
}
process.exit();
