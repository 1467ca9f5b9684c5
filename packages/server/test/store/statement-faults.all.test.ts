import { describe, test } from 'vitest';
import { FAULTS } from '../support/fault-proxy.ts';
import { failEach, openLaboratory, repeatEach } from './inject.ts';
import { everyMove, otherCommands } from './scenarios.ts';

const laboratory = await openLaboratory();

describe('a statement that fails changes nothing, and the command can be repeated', () => {
  for (const scenario of [...everyMove, ...otherCommands]) {
    test(`${scenario.name}, statement by statement`, () => failEach(laboratory, scenario, FAULTS));
  }
});

describe('a request that is repeated under its key takes effect once, whichever statement fails', () => {
  for (const scenario of [...everyMove, ...otherCommands].filter(({ keyed }) => keyed)) {
    test(`${scenario.name}, under a key`, () => repeatEach(laboratory, scenario, FAULTS));
  }
});
