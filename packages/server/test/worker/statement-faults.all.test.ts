import { test } from 'vitest';
import { FAULTS } from '../support/fault-proxy.ts';
import { failEachStatement } from './statement-faults.ts';

for (const fault of FAULTS) {
  test(`turns end correctly when any one statement of the worker fails: ${fault}`, async () => {
    await failEachStatement(fault);
  });
}
