import { everyKind } from './every-kind.ts';
import type { Revision } from './revision.ts';
import { rollingUpgrade } from './rolling.ts';
import { rollingMachineUpgrade } from './rolling-machine.ts';
import type { Upgrade } from './upgrade.ts';

/** All upgrades from an earlier version. */
export function rowsFrom(old: Revision): Upgrade[] {
  const { machineProgram } = old;
  return [
    rollingUpgrade(old),
    everyKind(old),
    ...(machineProgram === undefined ? [] : [rollingMachineUpgrade(old, machineProgram)]),
  ];
}
