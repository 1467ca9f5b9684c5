import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { OwnMachine } from '../machine/machine.ts';
import { findMachineConnection, registerLocalMachine } from '../store/queries/machines.ts';
import type { Queryable } from '../store/statement.ts';
import type { HeldMachines } from './held-machines.ts';

/** How to start the machine of this process. Processes with the same data directory share it: one at a time runs it. */
export interface LocalMachineSource {
  readonly id: string;
  readonly name: string;
  /** Excludes other processes with the same data directory. Undefined: one of them runs the machine. */
  lock(): Promise<(() => Promise<void>) | undefined>;
  start(): Promise<{ readonly machine: OwnMachine; close(): Promise<void> }>;
}

export interface HeldLocalMachine {
  readonly machine: OwnMachine;
  close(): Promise<void>;
}

/** Starts and holds the local machine. Undefined: another process does. */
export async function holdLocal(
  source: LocalMachineSource,
  options: {
    readonly held: HeldMachines;
    readonly database: Queryable;
    readonly version: string;
    readonly log: Logger;
    readonly onFenced: (held: HeldLocalMachine) => void;
  },
): Promise<HeldLocalMachine | undefined> {
  const { held, database, version, log, onFenced } = options;
  const unlock = await source.lock();
  if (unlock === undefined) return undefined;
  let started: Awaited<ReturnType<LocalMachineSource['start']>> | undefined;
  const close = async () => {
    await started?.close();
    await unlock();
  };
  try {
    await database.query(registerLocalMachine, { id: source.id, name: source.name });
    const [connection] = await database.query(findMachineConnection, { machine_id: source.id });
    // The lock shows that a holder on this host has ended, before its lease does.
    const force = connection === undefined || connection.host === hostname();
    if (!force) {
      await unlock();
      return undefined;
    }
    started = await source.start();
    const { machine } = started;
    let closing: Promise<void> | undefined;
    const local = { machine, close: () => (closing ??= close()) };
    const isHeld = await held.holdOwn(machine, version, {
      force,
      onFenced: () => {
        onFenced(local);
        local
          .close()
          .catch((error: unknown) => log.warn({ err: error }, 'cannot stop the local machine'));
      },
    });
    if (isHeld) return local;
    await local.close();
    return undefined;
  } catch (error) {
    await close();
    throw error;
  }
}
