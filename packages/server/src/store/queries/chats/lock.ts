import type { ChatRow } from '../../../chat/row.ts';
import { statement } from '../../statement.ts';
import { CHAT_COLUMNS } from './columns.ts';

/** By the database's clock. */
export type ChatUnderLock = ChatRow & { readonly action_expired: boolean };

/**
 * Waits for the lock, then reads the newest row. Rows of other tables must be read by a later statement, since the
 * snapshot of this one is older than the lock. NO KEY lets new messages refer to the chat meanwhile.
 */
export const lockChat = statement<{ id: string }, ChatUnderLock>(
  'lock-chat',
  `SELECT ${CHAT_COLUMNS},
          coalesce(chats.action_deadline <= clock_timestamp(), false) AS action_expired
     FROM chats
    WHERE id = :id
      FOR NO KEY UPDATE`,
);

/** Locks all chats of a user before the user is deleted. Workers wait, then find the chats gone. */
export const lockChatsOfUser = statement<{ owner_id: string }, { id: string }>(
  'lock-chats-of-user',
  `SELECT id FROM chats WHERE owner_id = :owner_id ORDER BY id FOR UPDATE`,
);
