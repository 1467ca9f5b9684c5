import type { MessageRow } from '../../../chat/row.ts';
import type { JsonText } from '../../json.ts';
import { statement } from '../../statement.ts';
import { MESSAGE_COLUMNS } from './columns.ts';
import { fromMessageRecords, RECORD_SOURCE, RECORD_TARGET } from './records.ts';

/** The caller holds the chat's lock, so ids grow in the order of the history. */
export const insertMessages = statement<
  { chat_id: string; revision: number; messages: JsonText },
  { id: number; created_at: Date }
>(
  'insert-messages',
  `INSERT INTO messages (${RECORD_TARGET})
   SELECT :chat_id, :revision, NULL, NULL, NULL, ${RECORD_SOURCE}
     FROM ${fromMessageRecords(':messages')}
    ORDER BY record.ordinality
   RETURNING id, created_at`,
);

/**
 * Copies the history up to a message into another chat, with new ids in the same order. Costs stay with the original.
 */
export const copyMessages = statement<
  { from_chat_id: string; chat_id: string; last_id: number },
  MessageRow
>(
  'copy-messages',
  `INSERT INTO messages (chat_id, revision, role, hidden, content, meta, created_at, created_by,
                         model_config_id, usage)
   SELECT :chat_id, 1, role, hidden, content, meta, created_at, created_by, model_config_id, usage
     FROM messages AS original
    WHERE original.chat_id = :from_chat_id AND original.id <= :last_id
    ORDER BY original.id
   RETURNING ${MESSAGE_COLUMNS}`,
);

export const replaceMessage = statement<
  {
    chat_id: string;
    id: number;
    revision: number;
    content: JsonText;
    created_by: string | null;
    model_config_id: string | null;
    author: string | null;
  },
  MessageRow
>(
  'replace-message',
  `UPDATE messages
      SET revision = :revision, content = :content, created_by = :created_by, model_config_id = :model_config_id,
          meta = CASE WHEN :author::text IS NOT NULL
                      THEN jsonb_set(coalesce(meta::jsonb, '{}'), '{author}', to_jsonb(:author::text))
                      ELSE nullif(meta::jsonb - 'author', '{}') END::json
    WHERE chat_id = :chat_id AND id = :id
   RETURNING ${MESSAGE_COLUMNS}`,
);

/** Costs stay in model_calls. Clients never saw hidden messages. */
export const dropMessagesAfter = statement<
  { chat_id: string; message_id: number },
  { id: number; hidden: boolean }
>(
  'drop-messages-after',
  `DELETE FROM messages WHERE chat_id = :chat_id AND id > :message_id RETURNING id, hidden`,
);
