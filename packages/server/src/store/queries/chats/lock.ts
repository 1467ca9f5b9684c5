import type { ChatRow } from '../../../chat/row.ts';
import { statement } from '../../statement.ts';
import { CHAT_COLUMNS } from './columns.ts';

/** `action_expired` is judged by the database's clock. */
export type ChatUnderLock = ChatRow & { readonly action_expired: boolean };

/**
 * Waits for whoever holds the chat, then reads its newest row. Rows of other tables must be read by a later
 * statement: this one's snapshot is older than the lock. NO KEY: messages may refer to the chat meanwhile.
 */
export const lockChat = statement<{ id: string }, ChatUnderLock>(
  'lock-chat',
  `SELECT ${CHAT_COLUMNS},
          coalesce(chats.action_deadline <= clock_timestamp(), false) AS action_expired
     FROM chats
    WHERE id = :id
      FOR NO KEY UPDATE`,
);

/** All chats of a user who is about to be deleted: workers wait, then find them gone. */
export const lockChatsOfUser = statement<{ owner_id: string }, { id: string }>(
  'lock-chats-of-user',
  `SELECT id FROM chats WHERE owner_id = :owner_id ORDER BY id FOR UPDATE`,
);
