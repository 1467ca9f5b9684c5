import { describe, expect, test } from 'vitest';
import { MOVES } from '../../src/chat/moves.ts';
import { failEach, openLaboratory, repeatEach } from './inject.ts';
import { oneMoveEach, otherCommands } from './scenarios.ts';

/* One fault per scenario. `statement-faults.all.test.ts` tries every fault from every state. */
const laboratory = await openLaboratory();

test('every move has a scenario', () => {
  expect(oneMoveEach).toHaveLength(Object.keys(MOVES).length);
});

describe('a statement that fails changes nothing, and the command can be repeated', () => {
  for (const [index, scenario] of [...oneMoveEach, ...otherCommands].entries()) {
    const fault = index % 2 === 0 ? 'lost' : '53100';
    test(`${scenario.name}, statement by statement: ${fault}`, () =>
      failEach(laboratory, scenario, [fault]));
  }
});

describe('a request that is repeated under its key takes effect once, whichever statement fails', () => {
  for (const scenario of [...oneMoveEach, ...otherCommands].filter(({ keyed }) => keyed)) {
    test(`${scenario.name}, under a key`, () => repeatEach(laboratory, scenario, ['lost']));
  }
});
