import type { ChatRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';
import { CHAT_COLUMNS } from './chat-columns.ts';

/** Deleted ones too: who may see those is for the caller to say. */
export const findOwnChat = statement<ChatRow>(
  'find-own-chat',
  `SELECT ${CHAT_COLUMNS} FROM chats WHERE id = $1 AND owner_id = $2`,
);
