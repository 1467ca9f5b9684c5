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
} from '../../../packages/server/src/store/queries/triggers/runs.ts';
import {
  dueTriggers,
  lockTrigger,
  readTrigger,
  setNextTime,
  tryLockTrigger,
} from '../../../packages/server/src/store/queries/triggers/triggers.ts';
import type { RunData, Session } from '../postgres.ts';
import { announceRun, countFailures } from './row-triggers.ts';
import { on } from './statement.ts';

const lockOf = (id: string) => `advisory trigger ${id}`;

const runsOf = (session: Session, triggerId: string): RunData[] =>
  session.rows(session.postgres.triggerRuns).filter(({ trigger_id }) => trigger_id === triggerId);

const inOrder = (one: RunData, other: RunData): number =>
  one.created_at.getTime() - other.created_at.getTime() || (one.id < other.id ? -1 : 1);

const isAt = (time: Date) => (run: RunData) => run.fire_time?.getTime() === time.getTime();

/** The unique indexes. An entry waits for the transaction of another one, and fails if that has committed. */
async function checkUnique(session: Session, run: RunData): Promise<void> {
  const { trigger_id, fire_time, delivery_id } = run;
  const keys = [
    fire_time && { name: `time ${fire_time.getTime()}`, isSame: isAt(fire_time) },
    delivery_id !== null && {
      name: `delivery ${delivery_id}`,
      isSame: (other: RunData) => other.delivery_id === delivery_id,
    },
  ];
  for (const key of keys) {
    if (key === null || key === false) continue;
    await session.lockKey(`unique ${trigger_id} ${key.name}`);
    if (runsOf(session, trigger_id).some(key.isSame)) {
      throw Object.assign(new Error(`There is a run with the ${key.name}.`), { code: '23505' });
    }
  }
}

export const TRIGGER_STATEMENTS = [
  on(dueTriggers, (session, { limit, overdrawn }) => {
    const { triggers, triggerRuns } = session.postgres;
    const now = session.startedAt.getTime();
    const timed = session
      .rows(triggers)
      .flatMap(({ id, owner_id, next_fire_at: next }) =>
        next === null ? [] : [{ id, owner_id, at: next.getTime() }],
      )
      .sort((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1));
    const due = timed
      .filter(({ at, owner_id }) => at <= now && !overdrawn.includes(owner_id))
      .slice(0, limit);
    const runs = session.rows(triggerRuns);
    const queued = new Set(
      runs.filter(({ status }) => status === 'queued').map(({ trigger_id }) => trigger_id),
    );
    const isBusy = (id: string) =>
      runs.some(({ trigger_id, status }) => trigger_id === id && status === 'started');
    const next = timed.find(({ at }) => at > now);
    return [
      {
        due: due.map(({ id }) => id),
        owners: due.map(({ owner_id }) => owner_id),
        free: [...queued].filter((id) => !isBusy(id)).slice(0, limit),
        has_queued: queued.size > 0,
        wait_ms: next === undefined ? null : Math.ceil(next.at - now),
      },
    ];
  }),

  on(lockTrigger, async (session, { id }) => {
    await session.lockKey(lockOf(id));
    return [];
  }),

  on(tryLockTrigger, (session, { id }) => [{ locked: session.tryLockKey(lockOf(id)) }]),

  on(readTrigger, (session, { id }) => {
    const trigger = session.row(session.postgres.triggers, id);
    return trigger === undefined
      ? []
      : [{ ...trigger, now: session.startedAt, owner_suspended: false }];
  }),

  on(setNextTime, async (session, { id, before, next }) => {
    const { triggers } = session.postgres;
    const trigger = await session.lockRow(
      triggers,
      id,
      ({ next_fire_at }) => next_fire_at?.getTime() === before.getTime(),
    );
    if (trigger !== undefined) session.write(triggers, id, { ...trigger, next_fire_at: next });
    return [];
  }),

  on(findRunByTime, (session, { trigger_id, fire_time }) =>
    runsOf(session, trigger_id).filter(isAt(fire_time)),
  ),

  on(findRunByDelivery, (session, { trigger_id, delivery_id }) =>
    runsOf(session, trigger_id).filter((run) => run.delivery_id === delivery_id),
  ),

  on(activeRuns, (session, { trigger_id, limit }) => {
    const statuses = runsOf(session, trigger_id).map(({ status }) => status);
    const queued = statuses.filter((status) => status === 'queued').length;
    return [{ started: statuses.includes('started'), queued: Math.min(queued, limit) }];
  }),

  on(insertTriggerRun, async (session, { status, ...given }) => {
    const hasEnded = status === 'skipped' || status === 'refused';
    const run: RunData = {
      ...given,
      status: status as never,
      created_at: session.startedAt,
      ended_at: hasEnded ? session.startedAt : null,
    };
    if ((status === 'queued') !== (run.message !== null)) {
      throw new Error(`The run ${run.id} violates the constraint of its message.`);
    }
    await checkUnique(session, run);
    session.write(session.postgres.triggerRuns, run.id, run);
    announceRun(session, run);
    return [run];
  }),

  on(nextQueuedRun, (session, { trigger_id }) => {
    const runs = runsOf(session, trigger_id);
    if (runs.some(({ status }) => status === 'started')) return [];
    const queued = runs.filter(({ status }) => status === 'queued').sort(inOrder);
    return queued.slice(0, 1).map(({ id, message }) => ({ id, message: message ?? '' }));
  }),

  on(leaveRunQueue, async (session, { id, status, reason, chat_id }) => {
    const { triggerRuns } = session.postgres;
    const run = await session.lockRow(triggerRuns, id, (one) => one.status === 'queued');
    if (run === undefined) return [];
    const left: RunData = {
      ...run,
      status: status as never,
      reason,
      chat_id,
      message: null,
      ended_at: status === 'started' ? null : session.startedAt,
    };
    session.write(triggerRuns, id, left);
    announceRun(session, left);
    return [{ id }];
  }),

  on(countTriggerFailure, async (session, { trigger_id, reason }) => {
    await countFailures(session, trigger_id, 1, reason);
    return [{ counted: true }];
  }),

  on(findTriggerChat, (session, { trigger_id, key }) => {
    const known = session.row(session.postgres.triggerChats, `${trigger_id} ${key}`);
    const chat = known && session.chat(known.chat_id);
    if (chat === undefined || chat.row.archived || chat.row.deleted_at !== null) return [];
    return [{ chat_id: chat.row.id, status: chat.row.status }];
  }),

  on(setTriggerChat, async (session, { trigger_id, key, chat_id }) => {
    const name = `${trigger_id} ${key}`;
    await session.lockKey(`${session.postgres.triggerChats.name} ${name}`);
    session.write(session.postgres.triggerChats, name, { chat_id });
    return [];
  }),
];
