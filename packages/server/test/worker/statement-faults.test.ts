import { test } from 'vitest';
import { failEachStatement, failManyStatements } from './statement-faults.ts';

/* `statement-faults.all.test.ts` covers the other faults, and every use of a statement. */
test('turns end correctly when any one statement of the worker fails: lost', async () => {
  await failEachStatement('lost', 1);
});

test('turns end correctly when the disk is full for a while', async () => {
  await failManyStatements('53100', 12);
});
