import type { JsonObject } from '@chatd/protocol';
import * as fc from 'fast-check';
import { calls, NEW_CHAT, says } from '@chatd/test-server/database';
import { LEASE_MS } from '../../../../../faults/simulation/timing.ts';
import type { OutboxRow } from '../../../../../faults/simulation/postgres.ts';
import { toJson } from '../../../src/store/json.ts';
import {
  connectMachine,
  disconnectMachine,
  findMachine,
  findMachineConnection,
  heldMachines,
  machinesSeen,
  openCallsOf,
} from '../../../src/store/queries/machines.ts';
import {
  claimDeliveries,
  type ClaimedDelivery,
  deleteDelivery,
  hasTargets,
  recordDelivered,
  recordFailed,
  releaseDelivery,
} from '../../../src/store/queries/outbox/deliveries.ts';
import { existingMachines } from '../../../src/store/queries/provisioned-machines.ts';
import {
  activeRuns,
  countTriggerFailure,
  findRunByDelivery,
  findRunByTime,
  findTriggerChat,
  insertTriggerRun,
  leaveRunQueue,
  nextQueuedRun,
  setTriggerChat,
} from '../../../src/store/queries/triggers/runs.ts';
import {
  dueTriggers,
  lockTrigger,
  readTrigger,
  setNextTime,
  tryLockTrigger,
} from '../../../src/store/queries/triggers/triggers.ts';
import { onlyRow, type Queryable } from '../../../src/store/statement.ts';
import type { Transaction } from '../../../src/store/transaction.ts';
import type { ComparedDatabase, Rows } from './compared-database.ts';
import {
  at,
  chatId,
  MACHINE_NAMES,
  MACHINES,
  OWNERS,
  REPLICAS,
  runId,
  TRIGGERS,
  WEBHOOKS,
} from './fixture.ts';

/** The database and transaction of an operation, and the state that earlier operations left. */
export interface OperationContext {
  readonly database: ComparedDatabase;
  /** Undefined: the operation commits on its own. */
  readonly tx: Transaction | undefined;
  /** The rows committed before the operation, or before the pair of operations. */
  readonly rows: Rows;
  readonly counts: Counts;
}

/** Counters for new rows, and numbers for rows whose ids the databases generate. */
export class Counts {
  chats = 0;
  runs = 0;
  readonly #deliveries = new Map<number, number>();

  /** The number of a delivery, in the order in which the test first saw them. */
  deliveryOf(id: number): number {
    const known = this.#deliveries.get(id) ?? this.#deliveries.size;
    this.#deliveries.set(id, known);
    return known;
  }
}

/** Removes what differs between the databases: ids, and the order of runs that end with the same chat. */
export function shown<Row extends ClaimedDelivery>(delivery: Row, counts: Counts): Row {
  const { id, payload } = delivery;
  const { trigger } = payload;
  const isOfChat = trigger !== undefined && 'chat_id' in payload;
  return {
    ...delivery,
    id: counts.deliveryOf(id),
    payload: isOfChat
      ? { ...payload, trigger: { ...(trigger as JsonObject), run_id: '' } }
      : payload,
  };
}

interface OperationKind<Params> {
  readonly weight: number;
  readonly params: fc.Arbitrary<Params>;
  readonly perform: (on: Queryable, params: Params, context: OperationContext) => Promise<unknown>;
}

const operation = <Params>(
  weight: number,
  params: fc.Arbitrary<Params> | { readonly [Name in keyof Params]: fc.Arbitrary<Params[Name]> },
  perform: OperationKind<Params>['perform'],
): OperationKind<Params> => ({
  weight,
  params: params instanceof fc.Arbitrary ? params : fc.record(params),
  perform,
});

const index = fc.nat({ max: 1_000 });
const owner = fc.constantFrom(...OWNERS);
const trigger_id = fc.constantFrom(...TRIGGERS.map(({ id }) => id));
const replica_id = fc.constantFrom(...REPLICAS);
const machine_id = fc.constantFrom(...MACHINES);
const key = fc.constantFrom('a', 'b');
const time = fc.constantFrom(...[1, 2].map((number) => at(number * 1_000)));
const delivery = fc.constant('delivery');
const ms = fc.constantFrom(0, 1_000, 5_000);
/** Added to the attempt of the row. 0: the operation names the current attempt. */
const offset = fc.constantFrom(0, 0, 0, 0, -1, 1);

const nth = <Row>(rows: readonly Row[], number: number): Row | undefined =>
  rows[number % Math.max(1, rows.length)];
const byId = <Row extends { readonly id: string | number }>(rows: readonly Row[]): Row[] =>
  rows.toSorted((one, other) => (one.id < other.id ? -1 : 1));
const chatOf = ({ rows }: OperationContext, number: number) => nth(rows.chats, number)?.id;

/** Does nothing if there is no delivery yet. */
const withDelivery = async (
  { rows }: OperationContext,
  number: number,
  work: (row: OutboxRow) => Promise<unknown>,
) => {
  const row = nth(rows.outbox, number);
  return row && (await work(row));
};

const FAILURE = { kind: 'generic', message: 'It broke.', retryable: false } as const;

/** A runner acquires the chat, then ends its turn or opens a call. */
async function run(
  { database }: OperationContext,
  id: string,
  how: 'answer' | 'fail' | 'ask' | 'call',
) {
  const { runner } = database.store;
  const [taken] = (await runner.takeUp(REPLICAS[0] ?? '', [id], LEASE_MS)).taken;
  if (taken === undefined) return 'not free';
  const { runner_id, history_version, attempt, status, open_calls } = taken.chat;
  if (runner_id === null) return 'without a runner';
  const fence = { runner_id, history_version };
  if (status === 'interrupting') {
    await runner.finishInterruption(id, fence, { messages: [], attempt });
  } else if (how === 'answer') {
    const step = { messages: [says('done')], attempt, next: 'finish_turn' } as const;
    await runner.commitStep(id, fence, step);
  } else if (how === 'fail') {
    await runner.fail(id, fence, FAILURE);
  } else {
    const call = `call-${history_version}`;
    const called = await runner.commitStep(id, fence, { messages: [calls(call)], attempt });
    if (how === 'call') return await runner.release(id, runner_id);
    const open = [...open_calls.map(({ tool_call_id }) => tool_call_id), call];
    const awaited = open.map((callId) => [callId, 'approval'] as const);
    const next = { runner_id, history_version: called.history_version };
    await runner.requireAction(id, next, Object.fromEntries(awaited), null);
  }
  return 'done';
}

const CHATS = {
  create_chat: operation(
    4,
    { owner_id: owner, trigger_id: fc.option(trigger_id) },
    async (_on, { owner_id, trigger_id }, { database, tx, counts }) => {
      const id = chatId(counts.chats++);
      const { creation } = database.store;
      const given = { ...NEW_CHAT, id, owner_id, ...(trigger_id !== null && { trigger_id }) };
      await creation.createRequested({ ...given, mcp_server_ids: [] }, tx);
    },
  ),
  send: operation(2, { index }, async (_on, { index }, context) => {
    const id = chatOf(context, index);
    const { store } = context.database;
    const message = { ...store.message('more'), created_by: OWNERS[0] ?? null };
    return id && (await store.client.send(id, message, context.tx)).chat.status;
  }),
  interrupt: operation(1, { index }, async (_on, { index }, context) => {
    const id = chatOf(context, index);
    return id && (await context.database.store.client.interrupt(id, context.tx)).chat.status;
  }),
  run: operation(
    5,
    { index, how: fc.constantFrom('answer', 'answer', 'fail', 'fail', 'ask', 'call') },
    async (_on, { index, how }, context) => {
      const id = chatOf(context, index);
      // Runners do not take part in the transaction.
      return id && context.tx === undefined ? await run(context, id, how) : undefined;
    },
  ),
};

const TRIGGER_OPERATIONS = {
  due: operation(
    2,
    { limit: fc.constantFrom(1, 100), overdrawn: fc.subarray(OWNERS, { maxLength: 1 }) },
    async (on, params) => {
      const { free, ...due } = onlyRow(await on.query(dueTriggers, params));
      // Which triggers a limit leaves out is not defined.
      return { ...due, free: params.limit === 1 ? free.length : free.toSorted() };
    },
  ),
  lock_trigger: operation(5, { id: trigger_id }, async (on, params) => {
    await on.query(lockTrigger, params);
  }),
  try_lock_trigger: operation(5, { id: trigger_id }, (on, params) =>
    on.query(tryLockTrigger, params),
  ),
  read_trigger: operation(1, { id: trigger_id }, (on, params) => on.query(readTrigger, params)),
  set_next_time: operation(
    2,
    { id: trigger_id, isCurrent: fc.constantFrom(true, true, false), next: fc.option(time) },
    (on, { id, isCurrent, next }, { rows }) => {
      const current = rows.triggers.find((trigger) => trigger.id === id)?.next_fire_at;
      return on.query(setNextTime, { id, before: (isCurrent && current) || at(500), next });
    },
  ),
  find_run_by_time: operation(1, { trigger_id, fire_time: time }, (on, params) =>
    on.query(findRunByTime, params),
  ),
  find_run_by_delivery: operation(1, { trigger_id, delivery_id: delivery }, (on, params) =>
    on.query(findRunByDelivery, params),
  ),
  active_runs: operation(1, { trigger_id, limit: fc.constantFrom(1, 10) }, (on, params) =>
    on.query(activeRuns, params),
  ),
  insert_run: operation(
    8,
    {
      trigger_id,
      cause: fc.oneof(
        fc.record({ fire_time: time, delivery_id: fc.constant(null) }),
        fc.record({ fire_time: fc.constant(null), delivery_id: fc.option(delivery, { freq: 2 }) }),
      ),
      status: fc.constantFrom('started', 'started', 'queued', 'skipped', 'refused'),
      index,
    },
    (on, { trigger_id, cause, status, index }, context) =>
      on.query(insertTriggerRun, {
        id: runId(context.counts.runs++),
        trigger_id,
        ...cause,
        status,
        reason: status === 'refused' ? 'No.' : null,
        chat_id: (status === 'started' && chatOf(context, index)) || null,
        message: status === 'queued' ? 'Work.' : null,
      }),
  ),
  next_queued_run: operation(1, { trigger_id }, (on, params) => on.query(nextQueuedRun, params)),
  leave_queue: operation(
    3,
    { index, status: fc.constantFrom('started', 'refused', 'skipped'), chat: index },
    async (on, { index, status, chat }, context) => {
      const id = nth(context.rows.trigger_runs, index)?.id;
      const chat_id = (status === 'started' && chatOf(context, chat)) || null;
      return id && (await on.query(leaveRunQueue, { id, status, reason: 'Left.', chat_id }));
    },
  ),
  count_failure: operation(1, { trigger_id }, (on, { trigger_id }) =>
    on.query(countTriggerFailure, { trigger_id, reason: 'No.' }),
  ),
  find_chat: operation(1, { trigger_id, key }, (on, params) => on.query(findTriggerChat, params)),
  set_chat: operation(2, { trigger_id, key, index }, async (on, { index, ...params }, context) => {
    const chat_id = chatOf(context, index);
    return chat_id && (await on.query(setTriggerChat, { ...params, chat_id }));
  }),
};

const OUTBOX_OPERATIONS = {
  has_targets: operation(1, {}, (on) => on.query(hasTargets)),
  claim: operation(
    8,
    fc
      .record({
        busy: fc.subarray(WEBHOOKS),
        per_target: fc.constantFrom(1, 4),
        lease_ms: fc.constantFrom(1_000, 45_000),
        limit: fc.constantFrom(1, 256),
      })
      // Which targets a limit leaves out is not defined.
      .map((params) => (params.busy.length === 0 ? { ...params, limit: 256 } : params)),
    async (on, params, { counts }) =>
      byId(await on.query(claimDeliveries, params)).map((claimed) => shown(claimed, counts)),
  ),
  delivered: operation(3, { index, offset }, (on, { index, offset }, context) =>
    withDelivery(context, index, ({ id, attempts }) =>
      on.query(recordDelivered, { id, attempts: attempts + offset, status: 200 }),
    ),
  ),
  failed: operation(
    8,
    { index, offset, delay_ms: ms, block_ms: ms, final: fc.constantFrom(false, false, true) },
    (on, { index, offset, ...how }, context) =>
      withDelivery(context, index, ({ id, attempts }) =>
        on.query(recordFailed, {
          id,
          attempts: attempts + offset,
          status: null,
          error: 'No.',
          ...how,
        }),
      ),
  ),
  release: operation(2, { index, offset }, (on, { index, offset }, context) =>
    withDelivery(context, index, ({ id, attempts }) =>
      on.query(releaseDelivery, { id, attempts: attempts + offset }),
    ),
  ),
  remove: operation(1, { index }, (on, { index }, context) =>
    withDelivery(context, index, ({ id }) => on.query(deleteDelivery, { id })),
  ),
};

const MACHINE_OPERATIONS = {
  heartbeat: operation(3, { replica_id }, async (_on, { replica_id }, { database }) => {
    const chats = await database.store.runner.heartbeat(replica_id);
    return byId(chats).map(({ id, status, snapshot_version }) => ({
      id,
      status,
      snapshot_version,
    }));
  }),
  connect: operation(
    6,
    {
      machine_id,
      replica_id,
      only_if_free: fc.boolean(),
      name: fc.option(fc.constantFrom(...MACHINE_NAMES)),
      labels: fc.constantFrom({}, { reported: 'yes', set: 'by the machine' }),
      version: fc.constantFrom('1', '2'),
      capabilities: fc.constantFrom({}, { sandbox: true }),
    },
    (on, { labels, capabilities, ...params }) =>
      on.query(connectMachine, {
        ...params,
        internal_url: `http://${params.replica_id}`,
        reported_labels: toJson(labels),
        capabilities: toJson(capabilities),
      }),
  ),
  disconnect: operation(4, { machine_id, epoch: fc.integer({ min: 1, max: 4 }) }, (on, params) =>
    on.query(disconnectMachine, params),
  ),
  find_machine: operation(1, { id: machine_id }, (on, params) => on.query(findMachine, params)),
  find_connection: operation(2, { machine_id }, async (on, params) =>
    // Replicas of the simulation have no host name.
    (await on.query(findMachineConnection, params)).map((row) => ({ ...row, host: null })),
  ),
  held_machines: operation(1, { replica_id }, async (on, params) =>
    (await on.query(heldMachines, params)).toSorted((one, other) =>
      one.machine_id < other.machine_id ? -1 : 1,
    ),
  ),
  machines_seen: operation(1, { replica_id }, (on, params) => on.query(machinesSeen, params)),
  existing_machines: operation(
    1,
    { ids: fc.subarray([...MACHINES, runId(0)]) },
    async (on, params) => byId(await on.query(existingMachines, params)),
  ),
  open_calls: operation(2, { indexes: fc.array(index) }, async (on, { indexes }, context) => {
    const chat_ids = [...new Set(indexes.map((number) => chatOf(context, number) ?? chatId(0)))];
    const open = await on.query(openCallsOf, { chat_ids });
    return open.map(({ chat_id, tool_call_id }) => `${chat_id} ${tool_call_id}`).toSorted();
  }),
};

const OPERATIONS = { ...CHATS, ...TRIGGER_OPERATIONS, ...OUTBOX_OPERATIONS, ...MACHINE_OPERATIONS };

export interface Operation {
  readonly name: keyof typeof OPERATIONS;
  readonly params: unknown;
}

const anyOf = (kinds: Readonly<Partial<typeof OPERATIONS>>): fc.Arbitrary<Operation> =>
  fc.oneof(
    ...Object.entries(kinds as Readonly<Record<string, OperationKind<unknown>>>).map(
      ([name, { weight, params }]) => ({
        weight,
        arbitrary: params.map((given) => ({ name: name as Operation['name'], params: given })),
      }),
    ),
  );

/** Operations on all tables, or on fewer tables, where they conflict more often. */
export const OPERATIONS_BY_FOCUS: readonly fc.Arbitrary<Operation>[] = [
  anyOf(OPERATIONS),
  anyOf({ ...CHATS, ...TRIGGER_OPERATIONS }),
  anyOf({ ...CHATS, ...OUTBOX_OPERATIONS }),
  anyOf(MACHINE_OPERATIONS),
];

/** Returns the result, or the error code. */
export async function perform(
  { name, params }: Operation,
  context: OperationContext,
): Promise<unknown> {
  const { perform } = OPERATIONS[name] as OperationKind<unknown>;
  try {
    return await perform(context.tx ?? context.database.store.database, params, context);
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: string };
    if (code === undefined) throw error;
    return { error: code, ...(code.length !== 5 && { message }) };
  }
}
