import type { ChatError, ChatStatus, Retry } from '@chatd/protocol';
import type { MessageRow, OpenCall, QueuedRow, StoredPart } from '../../../chat/row.ts';
import { statement } from '../../statement.ts';
import { MESSAGE_COLUMNS } from '../messages/columns.ts';

/** What viewers see of a chat, except for its messages. */
export interface ChatSnapshot {
  readonly status: ChatStatus;
  readonly snapshot_version: number;
  readonly history_version: number;
  readonly queue_version: number;
  readonly retry_version: number;
  readonly reset_version: number;
  readonly attempt: number;
  readonly worker_id: string | null;
  readonly open_calls: readonly OpenCall[];
  readonly retry: Retry | null;
  readonly last_error: ChatError | null;
  readonly active_at: Date;
  readonly updated_at: Date;
  readonly deleted_at: Date | null;
  /** The message with the open calls, while they are awaited. */
  readonly asking: readonly StoredPart[] | null;
  /** Null: unchanged. Times are text. */
  readonly queue:
    | readonly (Omit<QueuedRow, 'created_at'> & { readonly created_at: string })[]
    | null;
  /** The newest visible message, if requested. */
  readonly newest: number | null;
}

/** The snapshot with one message, or with none. */
export type ChatSnapshotRow = ChatSnapshot & {
  [Column in keyof MessageRow]: MessageRow[Column] | null;
};

/**
 * A consistent snapshot of a chat with the messages after :after_id and, if newer than :after_queue_version, the queue.
 * Messages after an id are a range of the primary key; after an edit (a reset newer than :after_reset_version) all
 * messages are returned. Null :after_id: none. A summary may come between open calls and the end of the history.
 */
export const readChatSnapshot = statement<
  {
    chat_id: string;
    after_id: number | null;
    after_queue_version: number;
    after_reset_version: number;
    limit: number;
    with_newest: boolean;
  },
  ChatSnapshotRow
>(
  'look-at-chat',
  `SELECT chats.status, chats.snapshot_version, chats.history_version, chats.queue_version,
          chats.retry_version, chats.reset_version, chats.attempt, chats.worker_id, chats.open_calls,
          chats.retry, chats.last_error, chats.active_at, chats.updated_at, chats.deleted_at,
          CASE WHEN chats.status = 'requires_action' THEN (
            SELECT content FROM messages
             WHERE chat_id = chats.id AND role = 'assistant' AND NOT hidden
               AND EXISTS (SELECT FROM json_array_elements(content) AS part
                            WHERE part ->> 'tool_call_id' = chats.open_calls -> 0 ->> 'tool_call_id')
             ORDER BY id DESC LIMIT 1) END AS asking,
          CASE WHEN chats.queue_version > :after_queue_version THEN (
            SELECT coalesce(jsonb_agg(to_jsonb(queued_messages) ORDER BY position), '[]')
              FROM queued_messages
             WHERE chat_id = chats.id) END AS queue,
          CASE WHEN :with_newest::boolean THEN (
            SELECT id FROM messages
             WHERE chat_id = chats.id AND NOT hidden
             ORDER BY id DESC LIMIT 1) END AS newest,
          message.*
     FROM chats LEFT JOIN LATERAL (
            SELECT ${MESSAGE_COLUMNS}
              FROM messages
             WHERE :after_id::bigint IS NOT NULL AND messages.chat_id = chats.id AND NOT hidden
               AND messages.id > CASE WHEN chats.reset_version > :after_reset_version THEN 0 ELSE :after_id::bigint END
             ORDER BY messages.id
             LIMIT :limit) AS message ON true
    WHERE chats.id = :chat_id
    ORDER BY message.id`,
);
