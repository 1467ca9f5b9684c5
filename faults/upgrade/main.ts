import { removeAbandonedRuns } from '@chatd/test-server/temporary-directory';
import { BUSES } from '../deployment/deployment.ts';
import { startPostgres } from '../deployment/postgres.ts';
import { formatProblem } from '../oracle/problem.ts';
import { EARLIER_REVISIONS } from './earlier.ts';
import { checkOut } from './revision.ts';
import { rowsFrom } from './rows.ts';
import { contractMigration } from './contract-migration.ts';
import { parseArgs } from '../../scripts/parse-args.ts';
import type { Upgrade, UpgradeOutcome } from './upgrade.ts';

/* Upgrades replicas of earlier versions to this one under load. Exits with code 1 if a check fails. */
const { values: options } = parseArgs({
  options: {
    from: { type: 'string', multiple: true, default: [...EARLIER_REVISIONS] },
    bus: { type: 'string', default: 'postgres' },
    rounds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
});
const buses = BUSES.filter((bus) => options.bus.split(',').includes(bus));
if (buses.length === 0) {
  console.error(
    `Usage: npm run upgrade -- [--from REVISION]… [--bus ${BUSES.join(',')}] [--rounds N] [--only TEXT]`,
  );
  process.exit(2);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

const log = (line: string) => console.log(`  ${line}`);
await removeAbandonedRuns();
const postgres = await startPostgres();
let problems = 0;
try {
  await runRow(contractMigration);
  for (const revision of options.from) {
    const old = await checkOut(revision, log);
    for (const row of rowsFrom(old)) await runRow(row);
    await old.remove();
  }
} finally {
  await postgres.stop();
}
console.log(problems === 0 ? '\nAll checks passed.' : `\n${problems} checks failed.`);
process.exit(problems === 0 ? 0 : 1);

async function runRow(row: Upgrade): Promise<void> {
  if (!row.name.includes(options.only)) return;
  const rounds = Array.from({ length: Number(options.rounds) }, () => buses).flat();
  for (const bus of rounds) {
    console.log(`\n${row.name} (${bus}): ${row.guarantee}`);
    const outcome = await row
      .run({ bus, postgres, log })
      .catch((error: unknown): UpgradeOutcome => ({
        figure: '–',
        problems: [{ kind: 'wrong', what: String(error) }],
      }));
    for (const problem of outcome.problems.slice(0, 20)) log(`FAILED: ${formatProblem(problem)}`);
    log(outcome.figure);
    problems += outcome.problems.length;
  }
}
