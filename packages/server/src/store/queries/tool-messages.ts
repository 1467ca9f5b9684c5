import type { MessageRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';

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
