import { describe, test } from 'vitest';
import { FAULTS } from '../support/fault-proxy.ts';
import { failEach, openFaultHarness, repeatEach } from './inject.ts';
import { everyMove, otherCommands } from './scenarios.ts';

const harness = await openFaultHarness();

describe('a failed statement changes nothing, and the command can be retried', () => {
  for (const scenario of [...everyMove, ...otherCommands]) {
    test(`${scenario.name}, statement by statement`, () => failEach(harness, scenario, FAULTS));
  }
});

describe('a request retried with its idempotency key takes effect once, whichever statement fails', () => {
  for (const scenario of [...everyMove, ...otherCommands].filter(({ keyed }) => keyed)) {
    test(`${scenario.name}, with a key`, () => repeatEach(harness, scenario, FAULTS));
  }
});
