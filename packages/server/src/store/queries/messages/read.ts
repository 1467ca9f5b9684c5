import type { MessageRow } from '../../../chat/row.ts';
import { statement } from '../../statement.ts';
import { MESSAGE_COLUMNS } from './columns.ts';

/** Forward from a message, optionally up to :before_id, through messages_by_chat. */
export const messagesAfter = statement<
  {
    chat_id: string;
    after_id: number;
    before_id: number | null;
    limit: number;
  },
  MessageRow
>(
  'messages-after',
  `SELECT ${MESSAGE_COLUMNS}
     FROM messages
    WHERE chat_id = :chat_id AND id > :after_id AND id < coalesce(:before_id::bigint, 9223372036854775807) AND NOT hidden
    ORDER BY id
    LIMIT :limit`,
);

/** Backward from :before_id, or from the newest message if null, through messages_by_chat. */
export const messagesBefore = statement<
  { chat_id: string; before_id: number | null; limit: number },
  MessageRow
>(
  'messages-before',
  `SELECT ${MESSAGE_COLUMNS}
     FROM messages
    WHERE chat_id = :chat_id AND id < coalesce(:before_id::bigint, 9223372036854775807) AND NOT hidden
    ORDER BY id DESC
    LIMIT :limit`,
);

/**
 * The messages after :after_id up to and including :last_id. No row if the chat has been edited since :reset_version.
 * Through the primary key.
 */
export const messagesBetween = statement<
  {
    chat_id: string;
    after_id: number;
    last_id: number;
    reset_version: number;
    limit: number;
  },
  MessageRow
>(
  'messages-between',
  `SELECT ${MESSAGE_COLUMNS}
     FROM chats JOIN messages ON messages.chat_id = chats.id
    WHERE chats.id = :chat_id AND chats.reset_version = :reset_version
      AND messages.id > :after_id AND messages.id <= :last_id AND NOT messages.hidden
    ORDER BY messages.id
    LIMIT :limit`,
);

/** The message before the newest :count messages. No row: there are no more. Backward through the primary key. */
export const tailOfChat = statement<{ chat_id: string; count: number }, { readonly id: number }>(
  'tail-of-chat',
  `SELECT id FROM messages
    WHERE chat_id = :chat_id AND NOT hidden
    ORDER BY id DESC
   OFFSET :count LIMIT 1`,
);

export const findMessage = statement<
  { chat_id: string; id: number },
  Pick<MessageRow, 'id' | 'role' | 'hidden' | 'revision'>
>(
  'find-message',
  `SELECT id, role, hidden, revision FROM messages WHERE chat_id = :chat_id AND id = :id`,
);

/** The message before another one, hidden or not. Backward through the primary key. */
export const messageBefore = statement<
  { chat_id: string; id: number },
  Pick<MessageRow, 'id' | 'revision'>
>(
  'message-before',
  `SELECT id, revision FROM messages WHERE chat_id = :chat_id AND id < :id ORDER BY id DESC LIMIT 1`,
);

/** The user message that a message of the history answers, or that it is itself. */
export const questionOf = statement<
  { chat_id: string; id: number },
  Pick<MessageRow, 'id' | 'revision'>
>(
  'question-of',
  `SELECT question.id, question.revision
     FROM messages AS target, LATERAL (
       SELECT id, revision FROM messages
        WHERE chat_id = :chat_id AND id <= :id AND role = 'user' AND NOT hidden
        ORDER BY id DESC
        LIMIT 1
     ) AS question
    WHERE target.chat_id = :chat_id AND target.id = :id AND NOT target.hidden`,
);

/**
 * The newest message with this call: call ids are unique within a message only. A running call is in one of the last
 * messages.
 */
export const messageOfCall = statement<{ chat_id: string; tool_call_id: string }, { id: number }>(
  'message-of-call',
  `SELECT id
     FROM (SELECT id, content FROM messages WHERE chat_id = :chat_id AND role = 'assistant' ORDER BY id DESC LIMIT 10) last
    WHERE content::jsonb
          @> jsonb_build_array(jsonb_build_object('type', 'tool-call', 'tool_call_id', :tool_call_id::text))
    ORDER BY id DESC
    LIMIT 1`,
);

/** The last responses, newest first. */
export const recentResponses = statement<
  { chat_id: string },
  Pick<MessageRow, 'id' | 'content' | 'meta'>
>(
  'recent-responses',
  `SELECT id, content, meta FROM messages
    WHERE chat_id = :chat_id AND role = 'assistant' AND NOT hidden
    ORDER BY id DESC
    LIMIT 8`,
);

/** The last tool messages, oldest first. */
export const toolMessages = statement<
  { chat_id: string; limit: number },
  Pick<MessageRow, 'id' | 'content' | 'created_at'>
>(
  'tool-messages',
  `SELECT id, content, created_at FROM (
     SELECT id, content, created_at FROM messages
      WHERE chat_id = :chat_id AND role = 'tool'
      ORDER BY id DESC
      LIMIT :limit
   ) AS latest
   ORDER BY id`,
);

/** The messages that this attempt committed, if the response to its commit was lost. */
export const findCommit = statement<
  {
    chat_id: string;
    runner_id: string;
    base_version: number;
    attempt: number;
  },
  MessageRow
>(
  'find-commit',
  `SELECT ${MESSAGE_COLUMNS}
     FROM messages
    WHERE chat_id = :chat_id AND runner_id = :runner_id AND base_version = :base_version AND attempt = :attempt
    ORDER BY id`,
);

/** Whether the agent has responded since the last summary, the only kind of hidden message. */
export const answeredSinceSummary = statement<{ chat_id: string }, { answered: boolean }>(
  'answered-since-summary',
  `SELECT EXISTS (
     SELECT FROM messages
      WHERE chat_id = :chat_id AND role = 'assistant'
        AND id > coalesce((SELECT max(id) FROM messages WHERE chat_id = :chat_id AND hidden), 0)
   ) AS answered`,
);
