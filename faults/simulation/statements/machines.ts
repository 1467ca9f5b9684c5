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
import { parse } from './append.ts';
import { on } from './statement.ts';

const isAlive = ({ postgres, clock }: Session, replicaId: string | null): boolean => {
  const beatAt = replicaId === null ? undefined : postgres.workers.get(replicaId);
  return beatAt !== undefined && Math.max(beatAt, postgres.startedAt) >= clock - LEASE_MS;
};

async function seen(session: Session, id: string, change: Partial<MachineRow> = {}): Promise<void> {
  const { machines } = session.postgres;
  const machine = await session.lockRow(machines, id);
  if (machine === undefined) return;
  const row = { ...machine, last_seen_at: session.startedAt, ...change };
  if (row.name !== machine.name) await checkName(session, row.name);
  session.write(machines, id, row);
}

/** The unique index. An entry waits for the transaction of another one, and fails if that has committed. */
async function checkName(session: Session, name: string): Promise<void> {
  await session.lockKey(`unique machine ${name}`);
  if (isNamed(session, name)) {
    throw Object.assign(new Error(`There is a machine "${name}".`), { code: '23505' });
  }
}

const isNamed = (session: Session, name: string): boolean =>
  session.rows(session.postgres.machines).some((machine) => machine.name === name);

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

  on(connectMachine, async (session, { only_if_free, name, version, ...params }) => {
    const { machines, machineConnections } = session.postgres;
    const { machine_id, replica_id, internal_url } = params;
    const machine = session.row(machines, machine_id);
    if (machine === undefined) return [];
    const isNew = name !== null && !isNamed(session, name);
    await session.lockKey(`${machineConnections.name} ${machine_id}`);
    const held = session.row(machineConnections, machine_id);
    if (only_if_free && isAlive(session, held?.replica_id ?? null)) return [];
    const epoch = (held?.epoch ?? 0) + 1;
    session.write(machineConnections, machine_id, { machine_id, replica_id, internal_url, epoch });
    const reported: Record<string, string> = parse(params.reported_labels);
    await seen(session, machine_id, {
      version,
      capabilities: parse(params.capabilities),
      labels: { ...reported, ...machine.admin_labels },
      ...(isNew && { name }),
    });
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
