import type { ChatRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';
import { CHAT_COLUMNS } from './chat-columns.ts';

/** The subagent that a tool call has made. */
export const findSpawnedChat = statement<ChatRow>(
  'find-spawned-chat',
  `SELECT ${CHAT_COLUMNS} FROM chats WHERE spawned_by_call = $1`,
);
