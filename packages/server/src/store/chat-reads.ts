import type { ChatStatus } from '@chatd/protocol';
import { Refused } from '../chat/refused.ts';
import type { ChatRow, MessageRow, QueuedRow } from '../chat/row.ts';
import type { Database } from './database.ts';
import { toJson } from './json.ts';
import {
  agentsOfRoots,
  type FilterParams,
  listAllChats,
  listChildChats,
  listPinnedChats,
  listProjectChats,
  listRecentChats,
} from './queries/chats/list.ts';
import type { ListedChat } from './queries/chats/columns.ts';
import { findMessage, messagesAfter, messagesBefore } from './queries/messages/read.ts';
import { readQueue } from './queries/queued-messages.ts';
import { listSharedWith } from './queries/sharing/lists.ts';
import type { Access } from './queries/sharing/roles.ts';
import { snapshot } from './snapshot.ts';
import type { Queryable } from './statement.ts';

/** Where a page of chats ended. */
export interface ChatListCursor {
  readonly pin_order: number;
  readonly activity: number;
  readonly id: string;
}

/** Conditions that a list may have. Null: any. */
export interface ChatConditions {
  readonly status: ChatStatus | null;
  readonly labels: Readonly<Record<string, string>> | null;
  readonly modelConfigId: string | null;
  readonly workspaceId: string | null;
  readonly activeAfter: Date | null;
  readonly activeBefore: Date | null;
  readonly minCostMicros: number | null;
  readonly projectId: string | null;
}

export const ANY_CHAT: ChatConditions = {
  status: null,
  labels: null,
  modelConfigId: null,
  workspaceId: null,
  activeAfter: null,
  activeBefore: null,
  minCostMicros: null,
  projectId: null,
};

export interface ChatFilter extends ChatConditions {
  /** Null: all users. */
  readonly ownerId: string | null;
  readonly archived: boolean;
  readonly after: ChatListCursor | null;
  readonly limit: number;
}

/** Chats without a parent: pinned first, then newest activity. Those of a project are sorted by activity only. */
export async function listChats(db: Queryable, filter: ChatFilter): Promise<ListedChat[]> {
  const { ownerId: owner_id, projectId: project_id, archived, after, limit } = filter;
  const params = { ...pageParams(filter), archived };
  const after_pin_order = after?.pin_order ?? null;
  if (owner_id === null) return db.query(listAllChats, { ...params, project_id, after_pin_order });
  if (project_id !== null) return db.query(listProjectChats, { ...params, owner_id, project_id });
  if (after_pin_order === 0) return db.query(listRecentChats, { ...params, owner_id });
  const pinned = await db.query(listPinnedChats, { ...params, owner_id, after_pin_order });
  const left = limit - pinned.length;
  if (left === 0) return pinned;
  const first = { ...params, owner_id, after_activity: null, after_id: null, limit: left };
  return [...pinned, ...(await db.query(listRecentChats, first))];
}

export const filterParams = (conditions: ChatConditions): FilterParams => ({
  status: conditions.status,
  labels: conditions.labels === null ? null : toJson(conditions.labels),
  model_config_id: conditions.modelConfigId,
  workspace_id: conditions.workspaceId,
  active_after: conditions.activeAfter,
  active_before: conditions.activeBefore,
  min_cost_micros: conditions.minCostMicros,
});

const pageParams = (filter: Pick<ChatFilter, 'after' | 'limit' | keyof ChatConditions>) => ({
  ...filterParams(filter),
  after_activity: filter.after?.activity ?? null,
  after_id: filter.after?.id ?? null,
  limit: filter.limit,
});

export interface ChildFilter extends Omit<ChatFilter, 'archived'> {
  readonly parentId: string;
  /** Null: both. */
  readonly archived: boolean | null;
}

/** The subagents that a chat has started, newest activity first. Guests have no read marks in them. */
export async function listChildren(
  db: Queryable,
  filter: ChildFilter,
): Promise<(ListedChat & Access)[]> {
  const { parentId: parent_id, ownerId: owner_id, archived } = filter;
  const params = { ...pageParams(filter), archived, parent_id, owner_id };
  const rows = await db.query(listChildChats, params);
  return rows.map((row) =>
    row.role === 'owner' ? row : { ...row, read_version: row.reply_version },
  );
}

export interface SharedFilter extends ChatConditions {
  readonly userId: string;
  readonly archived: boolean;
  readonly after: ChatListCursor | null;
  readonly limit: number;
}

/** Chats of other users that are shared with the user, newest activity first, with their role. */
export async function listSharedChats(
  db: Queryable,
  filter: SharedFilter,
): Promise<(ListedChat & Access)[]> {
  const { userId: user_id, archived } = filter;
  const rows = await db.query(listSharedWith, { ...pageParams(filter), user_id, archived });
  return rows.map(({ guest_read_version: read_version, ...row }) => ({ ...row, read_version }));
}

/** The version that a message was written in. A failure comes after the last message. */
export async function readVersionOf(
  db: Queryable,
  { id: chat_id, status, reply_version }: ChatRow,
  messageId: number,
): Promise<number> {
  const [message] = await db.query(findMessage, { chat_id, id: messageId });
  if (message === undefined || message.hidden) {
    throw new Refused('unknown_message', `Message ${messageId} does not exist in this chat.`);
  }
  const after = { chat_id, after_id: messageId, before_id: null, limit: 1 };
  const [later] = await db.query(messagesAfter, after);
  return later === undefined && status === 'error'
    ? Math.max(message.revision, reply_version)
    : message.revision;
}

/** The first page of the list, and then the subagents of these chats with the newest activity. */
export async function listFirstChats(
  db: Queryable,
  ownerId: string | null,
  limit: number,
): Promise<ListedChat[]> {
  const roots = await listChats(db, {
    ...ANY_CHAT,
    ownerId,
    archived: false,
    after: null,
    limit,
  });
  const ids = roots.map(({ id }) => id);
  return [
    ...roots,
    ...(ids.length === 0 ? [] : await db.query(agentsOfRoots, { root_chat_ids: ids, limit })),
  ];
}

export interface MessageWindow {
  readonly afterId: number | null;
  readonly beforeId: number | null;
  readonly limit: number;
}

export interface MessagePage {
  readonly messages: readonly MessageRow[];
  readonly queued: readonly QueuedRow[];
  readonly hasMore: boolean;
}

/** A consistent snapshot of history and queue: a message that moves between them is in exactly one. */
export async function readMessages(
  database: Database,
  chatId: string,
  window: MessageWindow,
): Promise<MessagePage> {
  return await snapshot(database, async (db) => {
    const [queued, { rows, hasMore }] = await Promise.all([
      db.query(readQueue, { chat_id: chatId }),
      messageRows(db, chatId, window),
    ]);
    return { messages: rows, queued, hasMore };
  });
}

/** Forward from `afterId`, else backward from `beforeId` or the end; oldest first either way. */
async function messageRows(db: Queryable, chatId: string, window: MessageWindow) {
  const { afterId, beforeId, limit } = window;
  const found =
    afterId === null
      ? await db.query(messagesBefore, { chat_id: chatId, before_id: beforeId, limit: limit + 1 })
      : await db.query(messagesAfter, {
          chat_id: chatId,
          after_id: afterId,
          before_id: beforeId,
          limit: limit + 1,
        });
  const rows = found.slice(0, limit);
  return { rows: afterId === null ? rows.toReversed() : rows, hasMore: found.length > limit };
}

const EXPORT_PAGE = 500;

/** The whole history, in one snapshot. */
export async function readWholeHistory(database: Database, chatId: string): Promise<MessageRow[]> {
  return await snapshot(database, async (db) => {
    const all: MessageRow[] = [];
    for (;;) {
      const last = all.at(-1)?.id ?? 0;
      const page = await db.query(messagesAfter, {
        chat_id: chatId,
        after_id: last,
        before_id: null,
        limit: EXPORT_PAGE,
      });
      all.push(...page);
      if (page.length < EXPORT_PAGE) return all;
    }
  });
}
