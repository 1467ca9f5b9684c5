import { statement } from '../statement.ts';

/**
 * Keeps others from writing messages of a chat until the end of the transaction. No row: the chat is busy, so the
 * indexer comes back later, or it is gone.
 */
export const lockChatForSearch = statement<{ id: string }>(
  'lock-chat-for-search',
  `SELECT id FROM chats WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED`,
);
