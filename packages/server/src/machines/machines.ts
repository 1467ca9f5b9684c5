import type { TemplateDefinition } from '@chatd/protocol';
import type { Machine, OwnMachine } from '../machine/machine.ts';
import type { Queryable } from '../store/statement.ts';

export interface UseOptions {
  /** Ends waiting for a machine that is offline. Default: does not wait. */
  readonly signal?: AbortSignal | undefined;
  /** Called when waiting begins, with the name of the machine. */
  readonly onWaiting?: ((name: string) => void) | undefined;
}

/** The machines of the deployment. */
export interface Machines {
  /** Throws a `Refused` (`machine_offline`) if the machine is not connected to any replica. */
  use(machineId: string, options?: UseOptions): Promise<Machine>;
  /**
   * Chooses a machine for a new workspace, in the transaction that inserts it. Throws a `Refused` (`no_machine`) that
   * names what is missing.
   */
  place(
    template: Pick<TemplateDefinition, 'driver' | 'machine'>,
    tx: Queryable,
  ): Promise<{ readonly id: string; readonly name: string }>;
  /** A call got its result after its connection or its process was lost, or its outcome is unknown. */
  count(outcome: 'recovered' | 'lost'): void;
  /** The machines whose connections this replica holds, including its local machine. */
  held(): readonly OwnMachine[];
}
