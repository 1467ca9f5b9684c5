import type { ChatStatus } from '@chatd/protocol';
import { statement } from '../statement.ts';

/** All chats of a user who is about to be deleted, so that none starts to run meanwhile. */
export const lockChatsOfUser = statement<{ status: ChatStatus }>(
  'lock-chats-of-user',
  `SELECT status FROM chats WHERE owner_id = $1 ORDER BY id FOR UPDATE`,
);
