import { test } from 'vitest';
import { failEachStatement, failManyStatements } from './statement-faults.ts';

/* `statement-faults.all.test.ts` has the other faults, and every use of a statement. */
test('turns end as they should when any one statement of the worker fails: lost', async () => {
  await failEachStatement('lost', 1);
});

test('turns end as they should when the disk is full for a while', async () => {
  await failManyStatements('53100', 12);
});
