import type { MachineRow } from '../../../packages/server/src/store/machines.ts';
import { readNow } from '../../../packages/server/src/store/queries/database-time.ts';
import {
  connectMachine,
  disconnectMachine,
  findMachine,
  findMachineConnection,
  heldMachines,
  machinesSeen,
  openCallsOf,
} from '../../../packages/server/src/store/queries/machines.ts';
import { existingMachines } from '../../../packages/server/src/store/queries/provisioned-machines.ts';
import type { Session } from '../postgres.ts';
import { LEASE_MS } from '../timing.ts';
import { on } from './statement.ts';

const isAlive = ({ postgres, clock }: Session, replicaId: string | null): boolean => {
  const beatAt = replicaId === null ? undefined : postgres.workers.get(replicaId);
  return beatAt !== undefined && Math.max(beatAt, postgres.startedAt) >= clock - LEASE_MS;
};

async function seen(session: Session, id: string, change: Partial<MachineRow> = {}): Promise<void> {
  const { machines } = session.postgres;
  const machine = await session.lockRow(machines, id);
  if (machine === undefined) return;
  session.write(machines, id, { ...machine, last_seen_at: session.startedAt, ...change });
}

export const MACHINE_STATEMENTS = [
  on(findMachine, (session, { id }) => {
    const { machines, machineConnections } = session.postgres;
    const machine = session.row(machines, id);
    const online = isAlive(session, session.row(machineConnections, id)?.replica_id ?? null);
    return machine === undefined ? [] : [{ ...machine, online }];
  }),

  on(existingMachines, (session, { ids }) =>
    ids.filter((id) => session.row(session.postgres.machines, id)).map((id) => ({ id })),
  ),

  on(connectMachine, async (session, { machine_id, replica_id, internal_url, only_if_free }) => {
    const { machines, machineConnections } = session.postgres;
    if (session.row(machines, machine_id) === undefined) return [];
    await session.lockKey(`${machineConnections.name} ${machine_id}`);
    const held = session.row(machineConnections, machine_id);
    if (only_if_free && isAlive(session, held?.replica_id ?? null)) return [];
    const epoch = (held?.epoch ?? 0) + 1;
    session.write(machineConnections, machine_id, { machine_id, replica_id, internal_url, epoch });
    await seen(session, machine_id);
    return [{ epoch }];
  }),

  on(disconnectMachine, async (session, { machine_id, epoch }) => {
    const { machineConnections } = session.postgres;
    const held = await session.lockRow(
      machineConnections,
      machine_id,
      (row) => row.epoch === epoch,
    );
    if (held === undefined) return [];
    session.write(machineConnections, machine_id, { ...held, replica_id: null });
    const release = { machine_id, released: held.epoch, ended: epoch };
    session.afterCommit(() => session.postgres.releases.push(release));
    await seen(session, machine_id);
    return [];
  }),

  on(heldMachines, (session, { replica_id }) =>
    session
      .rows(session.postgres.machineConnections)
      .filter((row) => row.replica_id === replica_id)
      .map(({ machine_id, epoch }) => ({ machine_id, epoch })),
  ),

  on(findMachineConnection, (session, { machine_id }) => {
    const { machines, machineConnections } = session.postgres;
    const held = session.row(machineConnections, machine_id);
    const machine = session.row(machines, machine_id);
    if (held === undefined || machine === undefined) return [];
    const { replica_id, epoch, internal_url } = held;
    if (replica_id === null || !isAlive(session, replica_id)) return [];
    return [
      { machine_id, machine_name: machine.name, replica_id, host: null, epoch, internal_url },
    ];
  }),

  on(readNow, ({ startedAt }) => [{ now: startedAt }]),

  on(machinesSeen, async (session, { replica_id }) => {
    for (const row of session.rows(session.postgres.machineConnections)) {
      if (row.replica_id === replica_id) await seen(session, row.machine_id);
    }
    return [];
  }),

  on(openCallsOf, (session, { chat_ids }) =>
    chat_ids.flatMap((chat_id) =>
      (session.chat(chat_id)?.row.open_calls ?? []).map(({ tool_call_id }) => ({
        chat_id,
        tool_call_id,
      })),
    ),
  ),
];
