import type { MessageRow } from '../../../chat/row.ts';
import { statement } from '../../statement.ts';
import { MESSAGE_COLUMNS } from './columns.ts';
import { fromMessageRecords, RECORD_SOURCE, RECORD_TARGET } from './records.ts';

/** The caller holds the chat's lock, so ids grow in the order of the history. */
export const insertMessages = statement<{ id: number; created_at: Date }>(
  'insert-messages',
  `INSERT INTO messages (${RECORD_TARGET})
   SELECT $1, $2, $3, $4, $5, ${RECORD_SOURCE}
     FROM ${fromMessageRecords('$6')}
    ORDER BY record.ordinality
   RETURNING id, created_at`,
);

/**
 * The history up to a message, into another chat: new ids in the same order, files by reference. What it cost
 * stays with the chat that paid.
 */
export const copyMessages = statement<MessageRow>(
  'copy-messages',
  `INSERT INTO messages (chat_id, revision, role, hidden, content, meta, created_at, created_by,
                         model_config_id, usage)
   SELECT $2, 1, role, hidden, content, meta, created_at, created_by, model_config_id, usage
     FROM messages AS original
    WHERE original.chat_id = $1 AND original.id <= $3
    ORDER BY original.id
   RETURNING ${MESSAGE_COLUMNS}`,
);

export const replaceMessage = statement<MessageRow>(
  'replace-message',
  `UPDATE messages
      SET revision = $3, content = $4, created_by = $5, model_config_id = $6
    WHERE chat_id = $1 AND id = $2
   RETURNING ${MESSAGE_COLUMNS}`,
);

/** What was spent on them stays in model_calls. Hidden ones are told apart: clients never knew them. */
export const dropMessagesAfter = statement<{ id: number; hidden: boolean }>(
  'drop-messages-after',
  `DELETE FROM messages WHERE chat_id = $1 AND id > $2 RETURNING id, hidden`,
);
