import type { MessageRow } from '../../../chat/row.ts';
import { statement } from '../../statement.ts';
import { MESSAGE_COLUMNS } from './columns.ts';

/** Forward from a message, up to another if $3 is not null; through messages_by_chat. */
export const messagesAfter = statement<MessageRow>(
  'messages-after',
  `SELECT ${MESSAGE_COLUMNS}
     FROM messages
    WHERE chat_id = $1 AND id > $2 AND id < coalesce($3::bigint, 9223372036854775807) AND NOT hidden
    ORDER BY id
    LIMIT $4`,
);

/** Backward from a message, or from the newest if $2 is null; newest first, through messages_by_chat. */
export const messagesBefore = statement<MessageRow>(
  'messages-before',
  `SELECT ${MESSAGE_COLUMNS}
     FROM messages
    WHERE chat_id = $1 AND id < coalesce($2::bigint, 9223372036854775807) AND NOT hidden
    ORDER BY id DESC
    LIMIT $3`,
);

/**
 * The messages after $2 up to and with $3, as long as no edit came in between: with another reset than $4 there is
 * no row at all. Through the primary key.
 */
export const messagesBetween = statement<MessageRow>(
  'messages-between',
  `SELECT ${MESSAGE_COLUMNS}
     FROM chats JOIN messages ON messages.chat_id = chats.id
    WHERE chats.id = $1 AND chats.reset_version = $4
      AND messages.id > $2 AND messages.id <= $3 AND NOT messages.hidden
    ORDER BY messages.id
    LIMIT $5`,
);

/**
 * The message before the newest $2: whoever begins after it gets just these. No row when there are no more than these.
 * Backward through the primary key.
 */
export const tailOfChat = statement<{ readonly id: number }>(
  'tail-of-chat',
  `SELECT id FROM messages
    WHERE chat_id = $1 AND NOT hidden
    ORDER BY id DESC
   OFFSET $2 LIMIT 1`,
);

export const findMessage = statement<Pick<MessageRow, 'id' | 'role' | 'hidden' | 'revision'>>(
  'find-message',
  `SELECT id, role, hidden, revision FROM messages WHERE chat_id = $1 AND id = $2`,
);

/**
 * The newest message of a chat that makes this call: ids of calls are unique within a message only. A call that is
 * being run is in one of the last messages.
 */
export const messageOfCall = statement<{ id: number }>(
  'message-of-call',
  `SELECT id
     FROM (SELECT id, content FROM messages WHERE chat_id = $1 AND role = 'assistant' ORDER BY id DESC LIMIT 10) last
    WHERE content::jsonb
          @> jsonb_build_array(jsonb_build_object('type', 'tool-call', 'tool_call_id', $2::text))
    ORDER BY id DESC
    LIMIT 1`,
);

/** What the model said last, newest first. */
export const recentResponses = statement<Pick<MessageRow, 'id' | 'content' | 'meta'>>(
  'recent-responses',
  `SELECT id, content, meta FROM messages
    WHERE chat_id = $1 AND role = 'assistant' AND NOT hidden
    ORDER BY id DESC
    LIMIT 8`,
);

/** What the tools of a chat have answered, oldest first, back to a limit. */
export const toolMessages = statement<Pick<MessageRow, 'id' | 'content' | 'created_at'>>(
  'tool-messages',
  `SELECT id, content, created_at FROM (
     SELECT id, content, created_at FROM messages
      WHERE chat_id = $1 AND role = 'tool'
      ORDER BY id DESC
      LIMIT $2
   ) AS latest
   ORDER BY id`,
);

/** What this very attempt of this very runner committed, if it did: its answer may have been lost on the way. */
export const findCommit = statement<MessageRow>(
  'find-commit',
  `SELECT ${MESSAGE_COLUMNS}
     FROM messages
    WHERE chat_id = $1 AND runner_id = $2 AND base_version = $3 AND attempt = $4
    ORDER BY id`,
);

/** Whether the agent has said anything that the last summary (the only hidden messages) does not hold. */
export const answeredSinceSummary = statement<{ answered: boolean }>(
  'answered-since-summary',
  `SELECT EXISTS (
     SELECT FROM messages
      WHERE chat_id = $1 AND role = 'assistant'
        AND id > coalesce((SELECT max(id) FROM messages WHERE chat_id = $1 AND hidden), 0)
   ) AS answered`,
);
