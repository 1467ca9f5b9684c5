import type { MessageRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';
import { MESSAGE_COLUMNS } from './message-columns.ts';

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
