import type { ChatRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';
import { CHAT_COLUMNS } from './chat-columns.ts';

/** The subagents of a chat, oldest first, through chats_by_parent. */
export const agentsOfChat = statement<ChatRow>(
  'agents-of-chat',
  `SELECT ${CHAT_COLUMNS} FROM chats WHERE parent_chat_id = $1 AND deleted_at IS NULL ORDER BY id`,
);
