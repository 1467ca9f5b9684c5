import type { ChatStatus } from '@chatd/protocol';
import type { ChatRow } from '../../../chat/row.ts';
import { statement } from '../../statement.ts';
import { CHAT_COLUMNS } from './columns.ts';

/** A chat by its id, whoever it belongs to: for those who run chats, not for those who ask for them. */
export const findChat = statement<ChatRow>(
  'find-chat',
  `SELECT ${CHAT_COLUMNS} FROM chats WHERE id = $1`,
);

/** Deleted ones too: who may see those is for the caller to say. */
export const findOwnChat = statement<ChatRow>(
  'find-own-chat',
  `SELECT ${CHAT_COLUMNS} FROM chats WHERE id = $1 AND owner_id = $2`,
);

/** Deleted ones too: whoever watches is told. */
export const chatsById = statement<ChatRow>(
  'chats-by-id',
  `SELECT ${CHAT_COLUMNS} FROM chats WHERE id = ANY ($1::uuid[])`,
);

/** The subagent that a tool call has made. */
export const findSpawnedChat = statement<ChatRow>(
  'find-spawned-chat',
  `SELECT ${CHAT_COLUMNS} FROM chats WHERE spawned_by_call = $1`,
);

/** Chats with a turn that an interrupt ends, root chats first: an interrupt includes the subagents. */
export const busyChatsOfUser = statement<{ id: string }>(
  'busy-chats-of-user',
  `SELECT id
     FROM chats
    WHERE owner_id = $1 AND deleted_at IS NULL AND status IN ('running', 'requires_action')
      AND ($2::uuid[] IS NULL OR id = ANY ($2))
    ORDER BY root_chat_id NULLS FIRST, id`,
);

/** Idle roots without activity for $1 days. Deleting them is the machine's business. */
export const findInactiveChats = statement<{ id: string }>(
  'find-inactive-chats',
  `SELECT id
     FROM chats
    WHERE deleted_at IS NULL AND root_chat_id IS NULL AND status IN ('waiting', 'error')
      AND active_at < now() - $1::integer * interval '1 day'
      AND ($3::uuid IS NULL OR id > $3)
    ORDER BY id
    LIMIT $2`,
);

/** Chats whose client did not answer in time, through chats_awaiting_action. */
export const expiredActions = statement<{ id: string }>(
  'expired-actions',
  `SELECT id FROM chats
    WHERE status = 'requires_action' AND action_deadline < clock_timestamp()
    ORDER BY action_deadline
    LIMIT $1`,
);

/** Reads every chat; whoever asks keeps the answer for a while. */
export const countChatsByStatus = statement<{
  status: ChatStatus;
  count: number;
  queued: number;
}>(
  'count-chats-by-status',
  `SELECT status, count(*) AS count, count(*) FILTER (WHERE queued_for_capacity) AS queued
     FROM chats
    WHERE deleted_at IS NULL
    GROUP BY status`,
);
