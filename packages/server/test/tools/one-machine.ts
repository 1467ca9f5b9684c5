import { Refused } from '../../src/chat/refused.ts';
import type { OwnMachine } from '../../src/machine/machine.ts';
import type { Machines } from '../../src/machines/machines.ts';

/** A deployment with one machine. */
export const oneMachine = (machine: OwnMachine): Machines => ({
  async use(id) {
    if (id === machine.id) return machine;
    throw new Refused('machine_offline', `The machine ${id} is not connected.`);
  },
  place: async () => ({ id: machine.id, name: machine.name }),
  count: () => undefined,
  held: () => [machine],
});
