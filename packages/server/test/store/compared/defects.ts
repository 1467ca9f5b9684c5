import type { Session } from '../../../../../faults/simulation/postgres.ts';
import { type Handler, on } from '../../../../../faults/simulation/statements/statement.ts';
import { STATEMENTS } from '../../../../../faults/simulation/statements/statements.ts';
import { disconnectMachine, findMachineConnection } from '../../../src/store/queries/machines.ts';
import {
  claimDeliveries,
  recordDelivered,
  recordFailed,
} from '../../../src/store/queries/outbox/deliveries.ts';
import { heartbeat } from '../../../src/store/queries/runs/heartbeat.ts';
import { insertTriggerRun, leaveRunQueue } from '../../../src/store/queries/triggers/runs.ts';
import {
  lockTrigger,
  setNextTime,
  tryLockTrigger,
} from '../../../src/store/queries/triggers/triggers.ts';
import type { Statement } from '../../../src/store/statement.ts';

/** Wraps the simulation's handler of a statement. */
function around<Params, Row>(
  statement: Statement<Params, Row>,
  change: (
    session: Session,
    params: NonNullable<Params>,
    run: (params: NonNullable<Params>) => Promise<Row[]>,
  ) => Promise<Row[]>,
): Handler {
  const known = STATEMENTS.find(({ name }) => name === statement.name);
  if (known === undefined) throw new Error(`The simulation does not know ${statement.name}.`);
  return on(statement, (session, params) =>
    change(
      session,
      params as NonNullable<Params>,
      async (given) => (await known.run(session, given as never)) as Row[],
    ),
  );
}

const attemptsOf = (session: Session, id: number) =>
  session.row(session.postgres.outbox, String(id))?.attempts ?? 0;

export const DEFECTS: Readonly<Record<string, Handler>> = {
  'claims wait for locked deliveries': around(claimDeliveries, async (session, params, run) => {
    for (const { id } of session.rows(session.postgres.outbox)) {
      await session.lockKey(`outbox ${id}`);
    }
    return await run(params);
  }),
  'claims have a longer lease': around(claimDeliveries, (_, params, run) =>
    run({ ...params, lease_ms: params.lease_ms + 1 }),
  ),
  'results of earlier attempts count': around(recordDelivered, (session, params, run) =>
    run({ ...params, attempts: attemptsOf(session, params.id) }),
  ),
  'failures of earlier attempts count': around(recordFailed, (session, params, run) =>
    run({ ...params, attempts: attemptsOf(session, params.id) }),
  ),
  'a second run with the same key is ignored': around(insertTriggerRun, (_, params, run) =>
    run(params).catch(() => []),
  ),
  'a run leaves the queue twice': around(leaveRunQueue, async (_, params, run) => {
    await run(params);
    return [{ id: params.id }];
  }),
  'a schedule forgets its time': around(setNextTime, (_, params, run) =>
    run({ ...params, next: null }),
  ),
  'triggers have no lock': on(lockTrigger, () => []),
  'each replica gets the lock of a trigger': on(tryLockTrigger, () => [{ locked: true }]),
  'heartbeats renew no lease': on(heartbeat, () => []),
  'connections of dead replicas are found': around(
    findMachineConnection,
    async (session, params, run) => {
      const { machine_id } = params;
      const { replica_id = null, ...held } =
        session.row(session.postgres.machineConnections, machine_id) ?? {};
      const found = await run(params);
      if (found.length > 0 || replica_id === null) return found;
      return [
        {
          epoch: 0,
          internal_url: '',
          ...held,
          machine_id,
          machine_name: '',
          replica_id,
          host: null,
        },
      ];
    },
  ),
  'the end of a connection releases newer ones': around(
    disconnectMachine,
    (session, params, run) => {
      const held = session.row(session.postgres.machineConnections, params.machine_id);
      return run({ ...params, epoch: held?.epoch ?? 0 });
    },
  ),
};
