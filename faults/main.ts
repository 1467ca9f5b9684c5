import { join } from 'node:path';
import { removeAbandonedRuns } from '@chatd/test-server/temporary-directory';
import { typedCommand } from '../bench/report/conclude.ts';
import { type FaultResult, type FaultsData, faultsReport } from '../bench/report/faults.ts';
import { keepResult, readResult, type Result, takenNow } from '../bench/report/result.ts';
import { parseArgs } from '../scripts/parse-args.ts';
import { BUSES, LEASE_SECONDS } from './deployment/deployment.ts';
import { estimate, formatDuration, secondsOf } from './duration.ts';
import { inParallel } from './in-parallel.ts';
import { isMeasured, mergeResults, resultOf } from './results.ts';
import { hasPassed } from './row.ts';
import { ROWS } from './rows/index.ts';
import { runRow } from './run-row.ts';

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
    jobs: { type: 'string', default: '1' },
    keep: { type: 'boolean', default: false },
    continue: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds);
const chats = options.chats === undefined ? undefined : Number(options.chats);
const jobs = Number(options.jobs);
const buses = BUSES.filter((bus) => options.bus.split(',').includes(bus));
const filter = positionals.join(' ').toLowerCase();
const chosen = ROWS.filter(({ name }) => name.toLowerCase().includes(filter)).flatMap((row) =>
  buses.filter((bus) => row.buses?.includes(bus) !== false).map((bus) => ({ row, bus })),
);
const before = await readStored();
const tasks = chosen
  .map(({ row, bus }, index) => ({
    row,
    bus,
    number: index + 1,
    size: row.hasFixedSize === true ? row.chats : (chats ?? row.chats),
    seconds: secondsOf(row, rounds),
    isAlone: row.runsAlone === true,
  }))
  .filter(
    ({ row, bus, size }) =>
      !options.continue || !isMeasured(before, { fault: row.name, bus, rounds, chats: size }),
  );
const areValid =
  rounds >= 1 && jobs >= 1 && (chats === undefined || (chats >= 2 && chats <= MOST_CHATS));
if (chosen.length === 0 || !areValid) {
  const names = ROWS.map(({ name }) => `  ${name}`).join('\n');
  console.error(
    `Usage: npm run faults -- [NAME] [--bus ${BUSES.join(',')}] [--rounds 3] [--chats 2…${MOST_CHATS}] [--jobs 1] [--keep] [--continue]\nNAME selects the faults whose name contains it:\n${names}`,
  );
  process.exit(2);
}
if (tasks.length === 0) {
  console.log('All selected rows are stored with as many rounds and chats, and passed.');
  process.exit(0);
}

// The processes of the rows exit when this one does.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

await removeAbandonedRuns();
const logs = process.env['CHATD_TEST_FAULT_LOGS'];
const command = typedCommand(faultsReport.command);
const versions: Record<string, string> = {};
const measured: FaultResult[] = [];
let passed = true;
console.log(`About ${estimate(tasks, jobs)} for ${tasks.length} runs of ${rounds} rounds.`);
await inParallel(tasks, jobs, async ({ row, bus, number, size }) => {
  const log = (line: string) => console.log(`[${number}] ${line}`);
  log(`${row.name} (${bus}): ${row.guarantee}`);
  const began = performance.now();
  const request = { fault: row.name, bus, rounds, chats: size };
  const { outcome, postgres } = await runRow(request, log, logs && join(logs, String(number)));
  passed &&= hasPassed(outcome);
  const seconds = Math.round((performance.now() - began) / 1000);
  const verdict = hasPassed(outcome) ? 'passed' : 'failed';
  log(outcome.skipped ?? `${verdict} after ${formatDuration(seconds)}`);
  if (outcome.skipped !== undefined) return;
  versions['PostgreSQL'] = postgres;
  const { day, machine } = takenNow({ command, data: undefined });
  const run = { fault: row.name, bus, day, load: machine.load, rounds, chats: size, seconds };
  measured.push(resultOf(run, outcome));
  if (options.keep) await keep();
});
const data: FaultsData = { leaseSeconds: LEASE_SECONDS, rows: inOrder([]) };
const { blocks = {} } = faultsReport.render(takenNow({ command, data, versions }));
for (const block of Object.values(blocks)) console.log(`\n${block}`);
if (options.keep) console.error('\nstored; run npm run figures to update the docs');
process.exit(passed ? 0 : 1);

/** Stores the measured rows. After every row, so that a run that is stopped keeps its results. */
async function keep(): Promise<void> {
  // Read again: another run may have stored rows meanwhile.
  const rows = inOrder(await readStored());
  await keepResult(faultsReport.result, {
    command,
    data: { leaseSeconds: LEASE_SECONDS, rows },
    versions,
  });
}

/** The measured rows and the stored ones that were not measured, in the order of the table. */
function inOrder(stored: readonly FaultResult[]): FaultResult[] {
  const faults = ROWS.map(({ name }) => name);
  return mergeResults(faults, measured, stored);
}

async function readStored(): Promise<readonly FaultResult[]> {
  const result = (await readResult(faultsReport.result)) as Result<FaultsData> | undefined;
  return result?.data.rows ?? [];
}
