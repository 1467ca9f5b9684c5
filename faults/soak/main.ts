import { parseArgs } from 'node:util';
import { conclude } from '../../bench/report/conclude.ts';
import { soakReport } from '../../bench/report/soak.ts';
import { removeAbandonedRuns } from '../../packages/server/test/support/temporary-directory.ts';
import { BUSES } from '../deployment/deployment.ts';
import { startPostgres } from '../deployment/postgres.ts';
import { leaksIn, trendsOf } from './leaks.ts';
import { keptOf } from './result.ts';
import { soak } from './soak.ts';
import { sampleLine, summary } from './words.ts';

/*
 * The soak: replicas, PostgreSQL, a bus and people who do everything at once, for an hour, while something is restarted
 * every minute. Exits with 1 when a promise was broken, something stood still or something leaks.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    bus: { type: 'string', default: 'postgres' },
    replicas: { type: 'string', default: '3' },
    people: { type: 'string', default: '12' },
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
  people: Number(values.people),
  restartEverySeconds: Number(values['restart-every']),
  crashEveryMinutes: Number(values['crash-every']),
  sampleEverySeconds: Number(values['sample-every']),
  seed: Number(values.seed),
};
if (
  bus === undefined ||
  Object.values(about).some((value) => !(value >= 0)) ||
  !(about.minutes > 0 && about.replicas >= 2 && about.people >= 1) ||
  !(about.restartEverySeconds > 0 && about.sampleEverySeconds > 0)
) {
  console.error(
    `npm run soak -- [--minutes 60] [--bus ${BUSES.join('|')}] [--keep]
  --replicas 3       one of them is never restarted, so that its memory means something
  --people 12        who talk at once
  --restart-every 60 seconds until the next replica is restarted, by SIGTERM or kill -9
  --crash-every 15   minutes until PostgreSQL is restarted with -m immediate; 0: never
  --sample-every 5   seconds
  --seed 1           of what people choose to do
  --keep             write bench/results/soak.json`,
  );
  process.exit(2);
}

// What was started ends with us, also when somebody has seen enough.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

const PRINT_EVERY_MS = Math.min(60_000, about.minutes * 6000);
let printedAt = Number.NEGATIVE_INFINITY;
await removeAbandonedRuns();
const postgres = await startPostgres();
console.log(
  `${about.minutes} minutes on ${bus}: ${about.replicas} replicas, ${about.people} people, PostgreSQL ${postgres.version}, Node ${process.version}`,
);
try {
  const soaked = await soak({
    ...about,
    bus,
    postgres,
    now: () => performance.now(),
    onSample(sample, eventLog, problems) {
      if (sample.atMs - printedAt < PRINT_EVERY_MS) return;
      printedAt = sample.atMs;
      console.log(sampleLine(sample, eventLog, problems));
    },
    onProblem: (problem) => console.log(`DOES NOT HOLD: ${problem}`),
  });
  const trends = trendsOf(soaked.eventLog.samples);
  const leaks = leaksIn(trends);
  console.log(summary(soaked, trends, leaks));
  const versions = { PostgreSQL: postgres.version };
  const data = keptOf({ ...about, bus }, soaked, trends);
  await conclude(soakReport, { data, versions }, { keep: values.keep });
  process.exitCode = soaked.problemsFound === 0 && leaks.length === 0 ? 0 : 1;
} finally {
  await postgres.stop();
}
process.exit();
