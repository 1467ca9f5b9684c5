import { statement } from '../statement.ts';

/**
 * The message before the newest $2: whoever begins after it gets just these. No row when there are no more than these.
 * Backward through the primary key.
 */
export const tailOfChat = statement<{ readonly id: number }>(
  'tail-of-chat',
  `SELECT id FROM messages
    WHERE chat_id = $1 AND NOT hidden
    ORDER BY id DESC
   OFFSET $2 LIMIT 1`,
);
