import { statement } from '../../statement.ts';

/**
 * Where the stream of a turn starts: after :message_id, before the message that left the queue as :queued_id, or after
 * the newest message, but not after the end of an edited history. No row: the chat does not exist. The search for a
 * message that was queued reads the whole history.
 */
export const turnStart = statement<
  { chat_id: string; message_id: number | null; queued_id: number | null },
  {
    readonly id: string;
    readonly snapshot_version: number;
    readonly reset_version: number;
    readonly after: number;
  }
>(
  'turn-start',
  `SELECT chats.id, snapshot_version, reset_version,
          coalesce(least(coalesce(:message_id::bigint, queued.id - 1), newest.id), 0) AS after
     FROM chats
     LEFT JOIN LATERAL (
            SELECT id FROM messages
             WHERE chat_id = chats.id AND queued_message_id = :queued_id::bigint
             LIMIT 1) AS queued ON true
     LEFT JOIN LATERAL (
            SELECT id FROM messages
             WHERE chat_id = chats.id AND NOT hidden
             ORDER BY id DESC
             LIMIT 1) AS newest ON true
    WHERE chats.id = :chat_id`,
);
