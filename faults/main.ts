import { typedCommand } from '../bench/report/conclude.ts';
import { type FaultResult, type FaultsData, faultsReport } from '../bench/report/faults.ts';
import { keepResult, readResult, type Result, takenNow } from '../bench/report/result.ts';
import { removeAbandonedRuns } from '@chatd/test-server/temporary-directory';
import { BUSES, LEASE_SECONDS } from './deployment/deployment.ts';
import { startPostgres } from './deployment/postgres.ts';
import { estimate, formatDuration } from './duration.ts';
import { formatProblem } from './oracle/problem.ts';
import { mergeResults, resultOf } from './results.ts';
import { hasPassed, type Outcome } from './row.ts';
import { ROWS } from './rows/index.ts';
import { parseArgs } from '../scripts/parse-args.ts';

/*
 * The fault suite: injects one fault at a time into a real deployment, then runs the oracle. Exits with code 1 if a check
 * fails or a time limit is exceeded.
 */

/** A user runs at most 64 chats at a time, and some rows start a few more. */
const MOST_CHATS = 50;
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    chats: { type: 'string' },
    bus: { type: 'string', default: BUSES.join(',') },
    keep: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds);
const chats = options.chats === undefined ? undefined : Number(options.chats);
const buses = BUSES.filter((bus) => options.bus.split(',').includes(bus));
const filter = positionals.join(' ').toLowerCase();
const chosen = ROWS.filter(({ name }) => name.toLowerCase().includes(filter)).flatMap((row) =>
  buses.filter((bus) => row.buses?.includes(bus) !== false).map((bus) => ({ row, bus })),
);
const areValid = rounds >= 1 && (chats === undefined || (chats >= 2 && chats <= MOST_CHATS));
if (chosen.length === 0 || !areValid) {
  const names = ROWS.map(({ name }) => `  ${name}`).join('\n');
  console.error(
    `Usage: npm run faults -- [NAME] [--bus ${BUSES.join(',')}] [--rounds 3] [--chats 2…${MOST_CHATS}] [--keep]\nNAME selects the faults whose name contains it:\n${names}`,
  );
  process.exit(2);
}

// Exit handlers stop the child processes.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

const log = (line: string) => console.log(`  ${line}`);
await removeAbandonedRuns();
const postgres = await startPostgres();
const versions = { PostgreSQL: postgres.version };
const command = typedCommand(faultsReport.command);
const measured: FaultResult[] = [];
let passed = true;
console.log(`About ${estimate(chosen, rounds)} for ${chosen.length} runs of ${rounds} rounds.`);
try {
  for (const [index, { row, bus }] of chosen.entries()) {
    const left = estimate(chosen.slice(index), rounds);
    console.log(`\n[${index + 1} of ${chosen.length}, about ${left} left] ${row.name} (${bus})`);
    log(row.guarantee);
    const began = performance.now();
    const size = row.hasFixedSize === true ? row.chats : (chats ?? row.chats);
    const outcome = await row
      .run({ bus, postgres, rounds, chats: size, log })
      .catch((error: unknown): Outcome => ({
        problems: [{ kind: 'wrong', what: stackOf(error) }],
      }));
    passed &&= hasPassed(outcome);
    for (const problem of outcome.problems.slice(0, 20)) log(`FAILED: ${formatProblem(problem)}`);
    for (const late of outcome.late ?? []) log(`TIME LIMIT EXCEEDED: ${late}`);
    const seconds = Math.round((performance.now() - began) / 1000);
    log(outcome.skipped ?? `took ${formatDuration(seconds)}`);
    if (outcome.skipped !== undefined) continue;
    const { day, machine } = takenNow({ command, data: undefined });
    const run = { fault: row.name, bus, day, load: machine.load, rounds, chats: size, seconds };
    measured.push(resultOf(run, outcome));
    // After every row, so that a run that is stopped keeps its results.
    if (options.keep) {
      await keepResult(faultsReport.result, { command, data: await merged(), versions });
    }
  }
} finally {
  await postgres.stop();
}
const data: FaultsData = { leaseSeconds: LEASE_SECONDS, rows: measured };
const { blocks = {} } = faultsReport.render(takenNow({ command, data, versions }));
for (const block of Object.values(blocks)) console.log(`\n${block}`);
if (options.keep) console.error('\nstored; run npm run figures to update the docs');
process.exit(passed ? 0 : 1);

/** The stored results, with the measured ones replaced. */
async function merged(): Promise<FaultsData> {
  const stored = (await readResult(faultsReport.result)) as Result<FaultsData> | undefined;
  const faults = ROWS.map(({ name }) => name);
  return {
    leaseSeconds: LEASE_SECONDS,
    rows: mergeResults(faults, measured, stored?.data.rows ?? []),
  };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
