import { expect, test } from 'vitest';
import { MachineOffline } from '../machine/machine.ts';
import { asProblem } from './problem.ts';

test('a machine that disconnects during a request is not an internal error', () => {
  expect(asProblem(new MachineOffline('The machine m is offline.'))).toMatchObject({
    body: { code: 'machine_offline', detail: 'The machine m is offline.' },
    unexpected: false,
  });
});
