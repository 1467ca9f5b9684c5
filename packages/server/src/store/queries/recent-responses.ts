import type { MessageRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';

/** What the model said last, newest first. */
export const recentResponses = statement<Pick<MessageRow, 'id' | 'content' | 'meta'>>(
  'recent-responses',
  `SELECT id, content, meta FROM messages
    WHERE chat_id = $1 AND role = 'assistant' AND NOT hidden
    ORDER BY id DESC
    LIMIT 8`,
);
