import type { ChatRow, OpenCall } from '../../../packages/server/src/chat/row.ts';
import type { NewMessage } from '../../../packages/server/src/chat/writes.ts';
import { BEGIN_ATTEMPT, FINISH_TURN } from '../../../packages/server/src/chat/turn.ts';
import {
  acquireNamedChats,
  acquireRunnableChats,
} from '../../../packages/server/src/store/queries/runs/acquire.ts';
import { beginAttemptStatement } from '../../../packages/server/src/store/queries/runs/begin-attempt.ts';
import {
  countRunningByOwner,
  hasRunnableChats,
  lockCapacity,
  runnableChats,
} from '../../../packages/server/src/store/queries/runs/capacity.ts';
import {
  commitSteps,
  type StepRecord,
} from '../../../packages/server/src/store/queries/runs/commit-steps.ts';
import { finishTurnStatement } from '../../../packages/server/src/store/queries/runs/finish-turn.ts';
import { heartbeat } from '../../../packages/server/src/store/queries/runs/heartbeat.ts';
import {
  forgetDeaths,
  releaseChat,
  releaseWorker,
  restChat,
  wakeChat,
} from '../../../packages/server/src/store/queries/runs/release.ts';
import { takeUpChats } from '../../../packages/server/src/store/queries/runs/take-up-chats.ts';
import type { ChatData, Session } from '../postgres.ts';
import { append, parse } from './append.ts';
import { countDeath, hasLivingOwner, inFairOrder, isBusy, isFreeFor } from './leases.ts';
import { on } from './statement.ts';

/** What a statement that clears the retry writes besides. */
const nextVersion = ({ row }: ChatData, { startedAt }: Session): Partial<ChatRow> => ({
  snapshot_version: row.snapshot_version + 1,
  retry_version: row.retry === null ? row.retry_version : row.snapshot_version + 1,
  updated_at: startedAt,
});

interface AcquireParams {
  readonly worker_id: string;
  readonly lease_ms: number;
}

const candidates = (
  session: Session,
  { worker_id, lease_ms }: AcquireParams,
  ids?: readonly string[],
) =>
  session
    .chats()
    .filter(({ row }) => ids?.includes(row.id) !== false)
    .filter((chat) => isFreeFor(chat, session, worker_id, lease_ms))
    .map((chat) => ({ chat, id: chat.row.id, runner: chat.row.runner_id }));

function acquire(
  session: Session,
  chat: ChatData,
  worker_id: string,
  more: Partial<ChatRow> = {},
): ChatRow {
  const runner_id = session.postgres.world.random.uuid();
  session.update(chat, { runner_id, worker_id, ...countDeath(chat), ...more });
  return chat.row;
}

/** Those that no other worker took while this one waited for their locks, which it takes in the order of ids. */
async function lockInOrder(
  session: Session,
  found: readonly { readonly id: string; readonly runner: string | null }[],
) {
  const locked: ChatData[] = [];
  for (const { id, runner } of [...found].sort((one, other) => (one.id < other.id ? -1 : 1))) {
    const chat = await session.lock(id);
    if (chat !== undefined && chat.row.runner_id === runner && isBusy(chat.row)) locked.push(chat);
  }
  return locked;
}

const canCommit = ({ row }: ChatData, step: StepRecord): boolean => {
  const open = row.open_calls.map(({ tool_call_id }) => tool_call_id);
  const answered = step.answered ?? [];
  const opened = step.opened as readonly OpenCall[];
  const isDone =
    opened.length === 0 &&
    open.length === answered.length &&
    (!row.compaction_requested || step.compacted);
  return (
    row.runner_id === step.runner &&
    row.history_version === step.base_version &&
    row.attempt === step.base_attempt &&
    row.status === 'running' &&
    row.queue_length === 0 &&
    answered.every((id) => open.includes(id)) &&
    (opened.length === 0 || open.length === 0) &&
    (step.next === 'nothing' || isDone)
  );
};

function commitStep(session: Session, chat: ChatData, step: StepRecord): void {
  const { row } = chat;
  const version = row.snapshot_version + 1;
  const answered = step.answered ?? [];
  session.update(chat, {
    ...nextVersion(chat, session),
    history_version: version,
    attempt: step.next === 'begin_attempt' ? 1 : 0,
    open_calls: [
      ...row.open_calls.filter(({ tool_call_id }) => !answered.includes(tool_call_id)),
      ...(step.opened as readonly OpenCall[]),
    ],
    reply_version: step.replied ? version : row.reply_version,
    compaction_requested: row.compaction_requested && !step.compacted,
    retry: null,
    ...(step.next === 'begin_attempt' && BEGIN_ATTEMPT),
    ...(step.next === 'finish_turn' && { ...FINISH_TURN, active_at: session.startedAt }),
  });
}

export const RUN_STATEMENTS = [
  on(acquireRunnableChats, (session, { limit, ...params }) => {
    const free = new Map(candidates(session, params).map(({ chat, runner }) => [chat, runner]));
    const locked: ChatData[] = [];
    for (const { row } of inFairOrder([...free.keys()])) {
      if (locked.length === limit) break;
      const chat = session.tryLock(row.id);
      if (chat !== undefined) locked.push(chat);
    }
    return locked.map((chat) => acquire(session, chat, params.worker_id));
  }),

  on(acquireNamedChats, async (session, { chat_ids, ...params }) => {
    const locked = await lockInOrder(session, candidates(session, params, chat_ids));
    return locked.map((chat) => acquire(session, chat, params.worker_id));
  }),

  on(takeUpChats, async (session, { chat_ids, limit_per_user: limit, ...params }) => {
    const found = candidates(session, params, chat_ids);
    const active = (owner: string) =>
      session.chats().filter(({ row }) => row.owner_id === owner && isBusy(row)).length;
    const crowded = found.filter(({ chat }) => limit !== null && active(chat.row.owner_id) > limit);
    const owners = new Set(crowded.map(({ chat }) => chat.row.owner_id));
    const locked = (await lockInOrder(session, found)).filter(
      ({ row }) => row.status === 'interrupting' || !owners.has(row.owner_id),
    );
    const held_back = crowded.length;
    const taken = locked.map((chat) => {
      const { row } = chat;
      const begun =
        row.status === 'running' &&
        row.attempt === 0 &&
        row.open_calls.length === 0 &&
        !row.compaction_requested &&
        row.retry === null;
      const waiting_since = row.updated_at;
      const beginning = begun && {
        ...BEGIN_ATTEMPT,
        snapshot_version: row.snapshot_version + 1,
        attempt: row.attempt + 1,
        updated_at: session.startedAt,
      };
      acquire(session, chat, params.worker_id, beginning || {});
      const approvals = session.postgres.approvals.get(row.owner_id) ?? null;
      return { ...chat.row, begun, waiting_since, approvals, held_back };
    });
    return taken.length > 0 ? taken : [{ id: null, held_back }];
  }),

  on(heartbeat, (session, { worker_id }) => {
    session.postgres.workers.set(worker_id, session.clock);
    return session
      .chats()
      .filter(({ row }) => row.worker_id === worker_id && isBusy(row))
      .flatMap(({ row: { id, runner_id, status, snapshot_version } }) =>
        runner_id === null ? [] : [{ id, runner_id, status, snapshot_version }],
      );
  }),

  on(beginAttemptStatement, async (session, params) => {
    const { chat_id, runner_id, history_version, attempt } = params;
    const applies = ({ row }: ChatData) =>
      row.runner_id === runner_id &&
      row.history_version === history_version &&
      row.attempt === attempt - 1 &&
      row.status === 'running';
    const chat = await lockIf(session, chat_id, applies);
    if (chat === undefined) return [];
    session.update(chat, { ...nextVersion(chat, session), ...BEGIN_ATTEMPT, attempt });
    return [chat.row];
  }),

  on(finishTurnStatement, async (session, { chat_id, runner_id, history_version }) => {
    const applies = ({ row }: ChatData) =>
      row.runner_id === runner_id &&
      row.history_version === history_version &&
      row.status === 'running' &&
      row.queue_length === 0 &&
      row.open_calls.length === 0;
    const chat = await lockIf(session, chat_id, applies);
    if (chat === undefined) return [];
    const { startedAt: active_at } = session;
    session.update(chat, { ...nextVersion(chat, session), ...FINISH_TURN, active_at });
    return [chat.row];
  }),

  on(commitSteps, (session, { steps, messages }) => {
    const records = parse(messages) as (NewMessage & { readonly step: number })[];
    return (parse(steps) as StepRecord[]).flatMap((step) => {
      const chat = session.tryLock(step.chat_id);
      if (chat === undefined || !canCommit(chat, step)) return [];
      commitStep(session, chat, step);
      const { owner_id, snapshot_version } = chat.row;
      const episode = {
        base_version: step.base_version,
        attempt: step.base_attempt,
        runner_id: step.runner,
      };
      const own = records.filter((record) => record.step === step.step);
      return append(session, chat, own, snapshot_version, episode).map(({ id, created_at }) => ({
        step: step.step,
        owner_id,
        snapshot_version,
        id,
        created_at,
      }));
    });
  }),

  on(releaseChat, async (session, { chat_id, runner_id }) => {
    const chat = await lockIf(session, chat_id, ({ row }) => row.runner_id === runner_id);
    if (chat === undefined) return [];
    session.update(chat, { runner_id: null, worker_id: null });
    return [{ id: chat_id }];
  }),

  on(releaseWorker, async (session, { worker_id }) => {
    const isOwn = ({ row }: ChatData) => row.worker_id === worker_id && isBusy(row);
    session.afterCommit(() => session.postgres.workers.delete(worker_id));
    const released = [];
    for (const { row } of session.chats().filter(isOwn)) {
      const chat = await lockIf(session, row.id, isOwn);
      if (chat === undefined) continue;
      session.update(chat, { runner_id: null, worker_id: null });
      released.push(chat.row);
    }
    return released;
  }),

  on(restChat, (session, { chat_id, runner_id }) => {
    session.afterCommit(() => session.postgres.resting.set(chat_id, runner_id));
    return [];
  }),

  on(wakeChat, (session, { chat_id }) => {
    session.afterCommit(() => session.postgres.resting.delete(chat_id));
    return [];
  }),

  on(forgetDeaths, async (session, { chat_id }) => {
    const chat = await session.lock(chat_id);
    if (chat !== undefined) session.update(chat, { owner_deaths: 0 });
    return [];
  }),

  on(hasRunnableChats, (session, { lease_ms }) => [
    {
      found: session
        .chats()
        .some((chat) => isBusy(chat.row) && !hasLivingOwner(chat, session, lease_ms)),
    },
  ]),

  on(lockCapacity, async (session) => {
    await session.postgres.lock('capacity', session);
    session.throwIfFailed();
    return [];
  }),

  on(runnableChats, (session, { lease_ms, limit }) =>
    inFairOrder(
      session
        .chats()
        .filter((chat) => isBusy(chat.row) && !hasLivingOwner(chat, session, lease_ms)),
    )
      .slice(0, limit)
      .map(({ row: { id, owner_id, status, queued_for_capacity } }) => ({
        id,
        owner_id,
        interrupting: status === 'interrupting',
        queued_for_capacity,
      })),
  ),

  on(countRunningByOwner, (session, { lease_ms }) => {
    const { resting } = session.postgres;
    const running = session
      .chats()
      .filter((chat) => isBusy(chat.row) && hasLivingOwner(chat, session, lease_ms))
      .filter(({ row }) => resting.get(row.id) !== row.runner_id);
    return [...Map.groupBy(running, ({ row }) => row.owner_id)].map(([owner_id, own]) => ({
      owner_id,
      count: own.length,
    }));
  }),
];

/** An UPDATE waits only for rows that meet its condition, and checks it again on the newest row. */
async function lockIf(
  session: Session,
  id: string,
  applies: (chat: ChatData) => boolean,
): Promise<ChatData | undefined> {
  const seen = session.chat(id);
  if (seen === undefined || !applies(seen)) return undefined;
  const chat = await session.lock(id);
  return chat !== undefined && applies(chat) ? chat : undefined;
}
