import type { MessageRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';

export const findMessage = statement<Pick<MessageRow, 'id' | 'role' | 'hidden' | 'revision'>>(
  'find-message',
  `SELECT id, role, hidden, revision FROM messages WHERE chat_id = $1 AND id = $2`,
);
