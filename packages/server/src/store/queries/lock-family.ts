import { statement } from '../statement.ts';
import { CHAT_COLUMNS } from './chat-columns.ts';
import type { ChatUnderLock } from './lock-chat.ts';

/** A root and all its descendants, in the order of ids so that two of these never wait for each other. */
export const lockFamily = statement<ChatUnderLock>(
  'lock-family',
  `SELECT ${CHAT_COLUMNS}, false AS action_expired
     FROM chats
    WHERE id = $1 OR root_chat_id = $1
    ORDER BY id
      FOR NO KEY UPDATE`,
);
