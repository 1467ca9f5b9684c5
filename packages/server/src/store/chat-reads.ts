import type { ChatStatus } from '@chatd/protocol';
import type { MessageRow, QueuedRow } from '../chat/row.ts';
import type { Database } from './database.ts';
import {
  agentsOfRoots,
  listAllChats,
  listChildChats,
  listPinnedChats,
  listRecentChats,
} from './queries/chats/list.ts';
import type { ListedChat } from './queries/chats/columns.ts';
import { messagesAfter, messagesBefore } from './queries/messages/read.ts';
import { readQueue } from './queries/queued-messages.ts';
import { snapshot } from './snapshot.ts';
import type { Queryable } from './statement.ts';

/** Where a page of chats ended. */
export interface ChatPlace {
  readonly pin_order: number;
  readonly activity: number;
  readonly id: string;
}

export interface ChatFilter {
  /** Null: everybody's. */
  readonly ownerId: string | null;
  readonly archived: boolean;
  readonly status: ChatStatus | null;
  readonly labels: Readonly<Record<string, string>> | null;
  readonly after: ChatPlace | null;
  readonly limit: number;
}

/** Chats without a parent: pinned first, then newest activity. */
export async function listChats(db: Queryable, filter: ChatFilter): Promise<ListedChat[]> {
  const { ownerId, archived, status, after, limit } = filter;
  const labels = filter.labels === null ? null : JSON.stringify(filter.labels);
  const place = [after?.pin_order ?? null, after?.activity ?? null, after?.id ?? null];
  if (ownerId === null) return db.query(listAllChats, [archived, status, labels, ...place, limit]);
  const own = [ownerId, archived, status, labels];
  if (after?.pin_order === 0) {
    return db.query(listRecentChats, [...own, after.activity, after.id, limit]);
  }
  const pinned = await db.query(listPinnedChats, [...own, ...place, limit]);
  const left = limit - pinned.length;
  if (left === 0) return pinned;
  return [...pinned, ...(await db.query(listRecentChats, [...own, null, null, left]))];
}

export interface ChildFilter extends Omit<ChatFilter, 'archived'> {
  readonly parentId: string;
  /** Null: both. */
  readonly archived: boolean | null;
}

/** The subagents that a chat has started, newest activity first. */
export async function listChildren(db: Queryable, filter: ChildFilter): Promise<ListedChat[]> {
  const { parentId, ownerId, archived, status, after, limit } = filter;
  const labels = filter.labels === null ? null : JSON.stringify(filter.labels);
  const place = [after?.activity ?? null, after?.id ?? null];
  return await db.query(listChildChats, [
    parentId,
    ownerId,
    archived,
    status,
    labels,
    ...place,
    limit,
  ]);
}

/** The chats that a list shows first, and then of these the subagents that were active last. */
export async function listFirstChats(
  db: Queryable,
  ownerId: string | null,
  limit: number,
): Promise<ListedChat[]> {
  const roots = await listChats(db, {
    ownerId,
    archived: false,
    status: null,
    labels: null,
    after: null,
    limit,
  });
  const ids = roots.map(({ id }) => id);
  return [...roots, ...(ids.length === 0 ? [] : await db.query(agentsOfRoots, [ids, limit]))];
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

/** History and queue of one moment: a message on its way from one to the other is in exactly one of them. */
export async function readMessages(
  database: Database,
  chatId: string,
  window: MessageWindow,
): Promise<MessagePage> {
  return await snapshot(database, async (db) => {
    const [queued, { rows, hasMore }] = await Promise.all([
      db.query(readQueue, [chatId]),
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
      ? await db.query(messagesBefore, [chatId, beforeId, limit + 1])
      : await db.query(messagesAfter, [chatId, afterId, beforeId, limit + 1]);
  const rows = found.slice(0, limit);
  return { rows: afterId === null ? rows.toReversed() : rows, hasMore: found.length > limit };
}

const EXPORT_PAGE = 500;

/** Everything that was said, of one moment. */
export async function readWholeHistory(database: Database, chatId: string): Promise<MessageRow[]> {
  return await snapshot(database, async (db) => {
    const all: MessageRow[] = [];
    for (;;) {
      const last = all.at(-1)?.id ?? 0;
      const page = await db.query(messagesAfter, [chatId, last, null, EXPORT_PAGE]);
      all.push(...page);
      if (page.length < EXPORT_PAGE) return all;
    }
  });
}
