import type { ChatRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';
import { CHAT_COLUMNS } from './chat-columns.ts';

/** A chat by its id, whoever it belongs to: for those who run chats, not for those who ask for them. */
export const findChat = statement<ChatRow>(
  'find-chat',
  `SELECT ${CHAT_COLUMNS} FROM chats WHERE id = $1`,
);
