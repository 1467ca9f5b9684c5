import type { ChatRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';
import { CHAT_COLUMNS } from './chat-columns.ts';

/** Deleted ones too: whoever watches is told. */
export const chatsById = statement<ChatRow>(
  'chats-by-id',
  `SELECT ${CHAT_COLUMNS} FROM chats WHERE id = ANY ($1::uuid[])`,
);
