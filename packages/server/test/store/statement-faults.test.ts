import { describe, expect, test } from 'vitest';
import { MOVES } from '../../src/chat/moves.ts';
import { failEach, openFaultHarness, repeatEach } from './inject.ts';
import { oneMoveEach, otherCommands } from './scenarios.ts';

/* One fault per scenario. `statement-faults.all.test.ts` tries every fault from every state. */
const harness = await openFaultHarness();

test('every move has a scenario', () => {
  expect(oneMoveEach).toHaveLength(Object.keys(MOVES).length);
});

describe('a failed statement changes nothing, and the command can be retried', () => {
  for (const [index, scenario] of [...oneMoveEach, ...otherCommands].entries()) {
    const fault = index % 2 === 0 ? 'lost' : '53100';
    test(`${scenario.name}, statement by statement: ${fault}`, () =>
      failEach(harness, scenario, [fault]));
  }
});

describe('a request retried with its idempotency key takes effect once, whichever statement fails', () => {
  for (const scenario of [...oneMoveEach, ...otherCommands].filter(({ keyed }) => keyed)) {
    test(`${scenario.name}, with a key`, () => repeatEach(harness, scenario, ['lost']));
  }
});
