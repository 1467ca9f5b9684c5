import { statement } from '../statement.ts';

/** All chats of a user who is about to be deleted: workers wait, then find them gone. */
export const lockChatsOfUser = statement<{ id: string }>(
  'lock-chats-of-user',
  `SELECT id FROM chats WHERE owner_id = $1 ORDER BY id FOR UPDATE`,
);
