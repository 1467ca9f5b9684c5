import type { MessageRow } from '../../chat/row.ts';
import { statement } from '../statement.ts';
import { MESSAGE_COLUMNS } from './message-columns.ts';

/**
 * The messages after $2 up to and with $3, as long as no edit came in between: with another reset than $4 there is
 * no row at all. Through the primary key.
 */
export const messagesBetween = statement<MessageRow>(
  'messages-between',
  `SELECT ${MESSAGE_COLUMNS}
     FROM chats JOIN messages ON messages.chat_id = chats.id
    WHERE chats.id = $1 AND chats.reset_version = $4
      AND messages.id > $2 AND messages.id <= $3 AND NOT messages.hidden
    ORDER BY messages.id
    LIMIT $5`,
);
