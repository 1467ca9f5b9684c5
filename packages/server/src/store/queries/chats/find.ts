import type { ChatStatus } from '@chatd/protocol';
import type { ChatRow } from '../../../chat/row.ts';
import { statement } from '../../statement.ts';
import { CHAT_COLUMNS } from './columns.ts';

/** A chat of any owner, for workers. API calls use `findChatFor`. */
export const findChat = statement<{ id: string }, ChatRow>(
  'find-chat',
  `SELECT ${CHAT_COLUMNS} FROM chats WHERE id = :id`,
);

/** Includes deleted chats, since watchers get an event for them. */
export const chatsById = statement<{ ids: readonly string[] }, ChatRow>(
  'chats-by-id',
  `SELECT ${CHAT_COLUMNS} FROM chats WHERE id = ANY (:ids::uuid[])`,
);

/** The subagent that a tool call has started. */
export const findSpawnedChat = statement<{ spawned_by_call: string }, ChatRow>(
  'find-spawned-chat',
  `SELECT ${CHAT_COLUMNS} FROM chats WHERE spawned_by_call = :spawned_by_call`,
);

/** Chats with a turn that an interrupt ends, root chats first: an interrupt includes the subagents. */
export const busyChatsOfUser = statement<
  { owner_id: string; ids: readonly string[] | null },
  { id: string }
>(
  'busy-chats-of-user',
  `SELECT id
     FROM chats
    WHERE owner_id = :owner_id AND deleted_at IS NULL AND status IN ('running', 'requires_action')
      AND (:ids::uuid[] IS NULL OR id = ANY (:ids))
    ORDER BY root_chat_id NULLS FIRST, id`,
);

/** Idle root chats without activity for :days days. */
export const findInactiveChats = statement<
  { days: number; limit: number; after_id: string | null },
  { id: string }
>(
  'find-inactive-chats',
  `SELECT id
     FROM chats
    WHERE deleted_at IS NULL AND root_chat_id IS NULL AND status IN ('waiting', 'error')
      AND active_at < now() - :days::integer * interval '1 day'
      AND (:after_id::uuid IS NULL OR id > :after_id)
    ORDER BY id
    LIMIT :limit`,
);

/** Chats past their action deadline, through chats_awaiting_action. */
export const expiredActions = statement<{ limit: number }, { id: string }>(
  'expired-actions',
  `SELECT id FROM chats
    WHERE status = 'requires_action' AND action_deadline < clock_timestamp()
    ORDER BY action_deadline
    LIMIT :limit`,
);

/** Reads all chats, so callers cache the result. */
export const countChatsByStatus = statement<
  null,
  {
    status: ChatStatus;
    count: number;
    queued: number;
  }
>(
  'count-chats-by-status',
  `SELECT status, count(*) AS count, count(*) FILTER (WHERE queued_for_capacity) AS queued
     FROM chats
    WHERE deleted_at IS NULL
    GROUP BY status`,
);
