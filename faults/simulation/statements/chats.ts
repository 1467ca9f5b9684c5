import type { QueuedRow } from '../../../packages/server/src/chat/row.ts';
import type { NewMessage } from '../../../packages/server/src/chat/writes.ts';
import { BEGIN_TURN } from '../../../packages/server/src/chat/turn.ts';
import type { ClaimParams } from '../../../packages/server/src/store/commands/claim.ts';
import { createChat, insertChat } from '../../../packages/server/src/store/queries/chats/create.ts';
import {
  familyOfChat,
  lockFamily,
} from '../../../packages/server/src/store/queries/chats/family.ts';
import { expiredActions, findChat } from '../../../packages/server/src/store/queries/chats/find.ts';
import { lockChat } from '../../../packages/server/src/store/queries/chats/lock.ts';
import { sendToIdleChat } from '../../../packages/server/src/store/queries/chats/send.ts';
import {
  writeChat,
  writeChatProperties,
} from '../../../packages/server/src/store/queries/chats/write.ts';
import { insertModelCall } from '../../../packages/server/src/store/queries/model-calls.ts';
import {
  editQueued,
  insertQueued,
  moveQueued,
  readQueue,
  removeQueued,
} from '../../../packages/server/src/store/queries/queued-messages.ts';
import { readSettings } from '../../../packages/server/src/store/queries/settings.ts';
import { readApprovalsOfChat } from '../../../packages/server/src/store/queries/user-approvals.ts';
import type { ChatData, Session } from '../postgres.ts';
import { append, parse } from './append.ts';
import { isBusy } from './leases.ts';
import { on } from './statement.ts';

const byId = (one: ChatData, other: ChatData) => (one.row.id < other.row.id ? -1 : 1);

const expired = (session: Session, { row }: ChatData) =>
  row.action_deadline !== null && row.action_deadline.getTime() <= session.clock;

/** The runner of a chat that the statement claims. Undefined: it does not. */
function claim(
  session: Session,
  { worker_id, active_limit }: ClaimParams,
  ownerId: string | null,
): string | undefined {
  if (worker_id === null) return undefined;
  const active = session.chats().filter(({ row }) => row.owner_id === ownerId && isBusy(row));
  if (active_limit !== null && active.length >= active_limit) return undefined;
  return session.postgres.world.random.uuid();
}

const approvalsOf = (session: Session, chat: ChatData) =>
  chat.row.runner_id === null ? null : (session.postgres.approvals.get(chat.row.owner_id) ?? null);

/** A chat as the table holds it when nothing else is given. */
const DEFAULTS = {
  archived: false,
  queue_length: 0,
  retry_version: 0,
  reset_version: 0,
  open_calls: [],
  action_deadline: null,
  compaction_requested: false,
  retry: null,
  last_error: null,
  interrupted: false,
  queued_for_capacity: false,
  owner_deaths: 0,
  deaths_version: 0,
  pin_order: 0,
  reply_version: 0,
  read_version: 0,
  deleted_at: null,
  pinned_worker_id: null,
  trigger_id: null,
  snapshot_version: 1,
  history_version: 1,
  queue_version: 0,
} as const;

const times = ({ startedAt }: Session) => ({
  created_at: startedAt,
  updated_at: startedAt,
  active_at: startedAt,
});

const queued = (
  { row }: ChatData,
  id: number,
  entry: Omit<QueuedRow, 'id' | 'chat_id'>,
): QueuedRow => ({
  id,
  chat_id: row.id,
  ...entry,
});

const isIdleFor = ({ row }: ChatData) =>
  (row.status === 'waiting' || row.status === 'error') &&
  !row.archived &&
  row.deleted_at === null &&
  row.queue_length === 0 &&
  row.open_calls.length === 0;

export const CHAT_STATEMENTS = [
  on(lockChat, async (session, { id }) => {
    const chat = await session.lock(id);
    return chat === undefined ? [] : [{ ...chat.row, action_expired: expired(session, chat) }];
  }),

  on(lockFamily, async (session, { root_id }) => {
    const family = session
      .chats()
      .filter(({ row }) => row.id === root_id || row.root_chat_id === root_id)
      .sort(byId);
    const rows = [];
    for (const { row } of family) {
      const chat = await session.lock(row.id);
      if (chat !== undefined) rows.push({ ...chat.row, action_expired: false });
    }
    return rows;
  }),

  on(familyOfChat, (session, { root_id }) =>
    session
      .chats()
      .filter(({ row }) => row.root_chat_id === root_id)
      .sort(byId)
      .map(({ row: { id, parent_chat_id, status } }) => ({
        id,
        parent_chat_id,
        busy: status === 'running' || status === 'requires_action',
      })),
  ),

  on(findChat, (session, { id }) => {
    const chat = session.chat(id);
    return chat === undefined ? [] : [chat.row];
  }),

  on(expiredActions, (session, { limit }) =>
    session
      .chats()
      .filter((chat) => chat.row.status === 'requires_action' && expired(session, chat))
      .slice(0, limit)
      .map(({ row: { id } }) => ({ id })),
  ),

  on(createChat, (session, params) => {
    const { worker_id, active_limit, messages, labels, dynamic_tools, ...given } = params;
    const runner = claim(session, { worker_id, active_limit }, params.owner_id);
    const chat: ChatData = {
      row: {
        ...DEFAULTS,
        ...times(session),
        ...given,
        status: 'running',
        labels: parse(labels),
        dynamic_tools: parse(dynamic_tools),
        mcp_server_ids: params.mcp_server_ids ?? [],
        model_config_id: params.model_config_id ?? 'default',
        reasoning_effort: params.reasoning_effort as never,
        title_source: params.title_source as never,
        parent_chat_id: null,
        root_chat_id: null,
        agent_type: null,
        attempt: runner === undefined ? 0 : 1,
        runner_id: runner ?? null,
        worker_id: runner === undefined ? null : worker_id,
      },
      messages: [],
      queue: [],
      versions: [],
    };
    session.insert(chat);
    const { model_config_id } = chat.row;
    const added = append(session, chat, withModel(messages, model_config_id), 1);
    return added.map(({ id, created_at }) => ({
      ...chat.row,
      approvals: approvalsOf(session, chat),
      message_id: id,
      message_created_at: created_at,
    }));
  }),

  on(insertChat, (session, { labels, dynamic_tools, ...given }) => {
    const chat: ChatData = {
      row: {
        ...DEFAULTS,
        ...times(session),
        ...given,
        status: given.status as never,
        labels: parse(labels),
        dynamic_tools: parse(dynamic_tools),
        reasoning_effort: given.reasoning_effort as never,
        title_source: given.title_source as never,
        agent_type: given.agent_type as never,
        attempt: 0,
        runner_id: null,
        worker_id: null,
      },
      messages: [],
      queue: [],
      versions: [],
    };
    session.insert(chat);
    return [chat.row];
  }),

  on(sendToIdleChat, async (session, params) => {
    const { chat_id, owner_id, worker_id, active_limit } = params;
    const seen = session.chat(chat_id);
    if (seen === undefined || !isIdleFor(seen)) return [];
    const runner = claim(session, { worker_id, active_limit }, owner_id);
    const before = seen.row;
    const chat = await session.lock(chat_id);
    if (chat === undefined || !isIdleFor(chat)) return [];
    const { row } = chat;
    const isClaimed =
      runner !== undefined &&
      !row.compaction_requested &&
      (row.pinned_worker_id === null || row.pinned_worker_id === worker_id);
    const version = row.snapshot_version + 1;
    session.update(chat, {
      ...BEGIN_TURN,
      snapshot_version: version,
      history_version: version,
      retry_version: row.retry === null ? row.retry_version : version,
      attempt: isClaimed ? 1 : 0,
      runner_id: isClaimed ? runner : null,
      worker_id: isClaimed ? worker_id : null,
      updated_at: session.startedAt,
      active_at: session.startedAt,
      model_config_id: params.model_config_id ?? row.model_config_id,
      reasoning_effort: (params.reasoning_effort ?? row.reasoning_effort) as never,
    });
    const messages = withModel(params.messages, chat.row.model_config_id);
    return append(session, chat, messages, version).map(({ id, created_at }) => ({
      ...chat.row,
      approvals: approvalsOf(session, chat),
      previous_version: before.snapshot_version === version - 1 ? before.history_version : null,
      message_id: id,
      message_created_at: created_at,
    }));
  }),

  on(writeChat, async (session, params) => {
    const chat = await session.lock(params.id);
    if (chat === undefined) return [];
    const { row } = chat;
    const deadline = params.deadline_ms;
    const { id: _id, messages, base_version, base_attempt, base_runner_id, ...columns } = params;
    const { active, sets_deadline, deadline_ms: _ms, sets_deleted, deleted, ...state } = columns;
    session.update(chat, {
      ...state,
      status: state.status as never,
      reasoning_effort: state.reasoning_effort as never,
      open_calls: parse(state.open_calls),
      retry: state.retry === null ? null : parse(state.retry),
      last_error: state.last_error === null ? null : parse(state.last_error),
      active_at: active ? session.startedAt : row.active_at,
      action_deadline: sets_deadline
        ? deadline === null
          ? null
          : new Date(session.clock + deadline)
        : row.action_deadline,
      deleted_at: sets_deleted ? (deleted === true ? session.startedAt : null) : row.deleted_at,
      updated_at: session.startedAt,
    });
    const { updated_at, active_at, action_deadline, deleted_at } = chat.row;
    const times = { updated_at, active_at, action_deadline, deleted_at };
    const episode = { base_version, attempt: base_attempt, runner_id: base_runner_id };
    const added = append(session, chat, parse(messages), params.snapshot_version, episode);
    return added.length === 0
      ? [{ ...times, message_id: null, message_created_at: null }]
      : added.map(({ id, created_at }) => ({
          ...times,
          message_id: id,
          message_created_at: created_at,
        }));
  }),

  on(writeChatProperties, async (session, { id, labels, dynamic_tools, title_source, ...rest }) => {
    const chat = await session.lock(id);
    if (chat === undefined) return [];
    chat.row = {
      ...chat.row,
      ...rest,
      title_source: title_source as never,
      labels: parse(labels),
      dynamic_tools: parse(dynamic_tools),
    };
    return [];
  }),

  on(readQueue, (session, { chat_id }) =>
    [...(session.chat(chat_id)?.queue ?? [])].sort((one, other) => one.position - other.position),
  ),

  on(insertQueued, async (session, { chat_id, content, ...rest }) => {
    const chat = await session.lock(chat_id);
    if (chat === undefined) return [];
    const entry = queued(chat, session.postgres.newId(), {
      ...rest,
      busy_behavior: rest.busy_behavior as never,
      reasoning_effort: rest.reasoning_effort as never,
      content: parse(content),
      created_at: session.startedAt,
    });
    chat.queue = [...chat.queue, entry];
    return [entry];
  }),

  on(editQueued, async (session, { chat_id, id, content, busy_behavior, created_by, author }) => {
    const chat = await session.lock(chat_id);
    if (chat === undefined) return [];
    chat.queue = chat.queue.map((entry) =>
      entry.id !== id
        ? entry
        : {
            ...entry,
            busy_behavior: busy_behavior as never,
            ...(content !== null && { content: parse(content), created_by, author }),
          },
    );
    return chat.queue.filter((entry) => entry.id === id);
  }),

  on(moveQueued, async (session, { chat_id, ids, positions }) => {
    const chat = await session.lock(chat_id);
    if (chat === undefined) return [];
    chat.queue = chat.queue.map((entry) => ({
      ...entry,
      position: positions[ids.indexOf(entry.id)] ?? entry.position,
    }));
    return [];
  }),

  on(removeQueued, async (session, { chat_id, ids }) => {
    const chat = await session.lock(chat_id);
    if (chat !== undefined) chat.queue = chat.queue.filter(({ id }) => !ids.includes(id));
    return [];
  }),

  on(insertModelCall, (session, call) => {
    session.afterCommit(() => session.postgres.modelCalls.push(call));
    return [];
  }),

  on(readSettings, ({ postgres }) => [{ value: postgres.settings }]),

  on(readApprovalsOfChat, (session, { chat_id }) => {
    const chat = session.chat(chat_id);
    const rules = chat && session.postgres.approvals.get(chat.row.owner_id);
    return rules === undefined ? [] : [{ rules: [...rules] }];
  }),
];

const withModel = (messages: string, model_config_id: string): NewMessage[] =>
  (parse(messages) as NewMessage[]).map((message) => ({ ...message, model_config_id }));
