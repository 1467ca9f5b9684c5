import { test } from 'vitest';
import { failEachStatement, failManyStatements } from './statement-faults.ts';

/* `statement-faults.all.test.ts` has the other faults, and every use of a statement. */
for (const fault of ['53100', 'lost'] as const) {
  test(`turns end as they should when any one statement of the worker fails: ${fault}`, async () => {
    await failEachStatement(fault, 1);
  });
}

test('turns end as they should when the disk is full for a while', async () => {
  await failManyStatements('53100', 12);
});
