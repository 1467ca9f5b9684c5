import { type FaultsData, faultsReport, triggersReport } from '../bench/report/faults.ts';
import { conclude } from '../bench/report/conclude.ts';
import { readResult, type Result } from '../bench/report/result.ts';
import { removeAbandonedRuns } from '@chatd/test-server/temporary-directory';
import { BUSES, type BusKind, LEASE_SECONDS } from './deployment/deployment.ts';
import { startPostgres } from './deployment/postgres.ts';
import { hasPassed, type Outcome, type Row } from './row.ts';
import { ROWS } from './rows/index.ts';
import { outboundWebhooks } from './rows/outbound-webhooks.ts';
import { triggers } from './rows/triggers.ts';
import { parseArgs } from '../scripts/parse-args.ts';

/*
 * The fault suite: injects one fault at a time into a real deployment, then runs the oracle. Exits with code 1 if a check
 * fails or a time limit is exceeded.
 */
const LONG_ROWS: ReadonlySet<Row> = new Set([triggers, outboundWebhooks]);
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    bus: { type: 'string', default: 'postgres,nats' },
    keep: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds);
const buses = BUSES.filter((bus) => options.bus.split(',').includes(bus));
const filter = positionals.join(' ').toLowerCase();
const chosen = ROWS.filter(({ name }) => name.toLowerCase().includes(filter));
if (chosen.length === 0 || buses.length === 0 || !(rounds >= 1)) {
  const names = ROWS.map(({ name }) => `  ${name}`).join('\n');
  console.error(
    `Usage: npm run faults -- [NAME] [--bus ${BUSES.join(',')}] [--rounds 3] [--keep]\nNAME selects the faults whose name contains it:\n${names}`,
  );
  process.exit(2);
}

// Exit handlers stop the child processes.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

const log = (line: string) => console.log(`  ${line}`);
await removeAbandonedRuns();
const postgres = await startPostgres();
const results: { row: Row; bus: BusKind; outcome: Outcome }[] = [];
try {
  for (const row of chosen) {
    for (const bus of buses.filter((one) => row.buses?.includes(one) !== false)) {
      console.log(`\n${row.name} (${bus}): ${row.guarantee}`);
      const outcome = await row
        .run({ bus, postgres, rounds, log })
        .catch((error: unknown): Outcome => ({ figure: '–', problems: [stackOf(error)] }));
      for (const problem of outcome.problems.slice(0, 20)) log(`FAILED: ${problem}`);
      for (const late of outcome.late ?? []) log(`TIME LIMIT EXCEEDED: ${late}`);
      log(outcome.skipped ?? outcome.figure);
      results.push({ row, bus, outcome });
    }
  }
} finally {
  await postgres.stop();
}
// These rows are also run for longer. Their results do not replace those of the others.
const isLong = chosen.every((row) => LONG_ROWS.has(row));
const rows: FaultsData['rows'] = results.map(
  ({ row, bus, outcome: { figure, problems, late = [], skipped } }) => ({
    fault: row.name,
    bus,
    ...(isLong && { rounds }),
    figure: skipped ?? figure,
    problems: problems.length,
    late,
  }),
);
const data: FaultsData = isLong
  ? { leaseSeconds: LEASE_SECONDS, rows: [...rows, ...(await keptRows(rows))] }
  : { rounds, leaseSeconds: LEASE_SECONDS, rows };
const versions = { PostgreSQL: postgres.version };
await conclude(isLong ? triggersReport : faultsReport, { data, versions }, { keep: options.keep });
process.exit(results.every(({ outcome }) => hasPassed(outcome)) ? 0 : 1);

/** Stored results of the long rows on other buses, or of the other row. */
async function keptRows(measured: FaultsData['rows']): Promise<FaultsData['rows']> {
  const stored = (await readResult(triggersReport.result)) as Result<FaultsData> | undefined;
  return (stored?.data.rows ?? []).filter(
    ({ fault, bus }) => !measured.some((row) => row.fault === fault && row.bus === bus),
  );
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
