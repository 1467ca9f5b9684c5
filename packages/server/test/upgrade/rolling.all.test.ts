import { afterAll, describe, expect, test } from 'vitest';
import { startPostgres } from '../../../../faults/deployment/postgres.ts';
import { EARLIER_REVISIONS } from '../../../../faults/upgrade/earlier.ts';
import { checkOut, missingReason } from '../../../../faults/upgrade/revision.ts';
import { rowsFrom } from '../../../../faults/upgrade/rows.ts';
import { contractMigration } from '../../../../faults/upgrade/contract-migration.ts';

/*
 * `npm run upgrade`: upgrades two replicas of an earlier commit to this version, one after the other. Requires the git
 * history, and npm to install the dependencies of that commit.
 */
const TIMEOUT_MS = 3_600_000;

const postgres = await startPostgres({ settings: { fsync: 'off', full_page_writes: 'off' } });
afterAll(() => postgres.stop());

test('a contract migration waits for older replicas', { timeout: TIMEOUT_MS }, async () => {
  const context = { bus: 'postgres', postgres, log: () => undefined } as const;
  expect((await contractMigration.run(context)).problems).toEqual([]);
});

describe.each(EARLIER_REVISIONS)('from %s', (revision) => {
  test(
    'a rolling upgrade of two replicas and a machine loses nothing',
    { timeout: TIMEOUT_MS },
    async ({ skip }) => {
      const missing = await missingReason(revision);
      if (missing !== undefined) skip(missing);
      const old = await checkOut(revision);
      try {
        for (const row of rowsFrom(old)) {
          const context = { bus: 'postgres', postgres, log: () => undefined } as const;
          expect((await row.run(context)).problems, row.name).toEqual([]);
        }
      } finally {
        await old.remove();
      }
    },
  );
});
