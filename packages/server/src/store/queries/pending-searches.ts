import { statement } from '../statement.ts';

/**
 * Chats with messages that are not indexed yet, for at least $1 milliseconds, oldest first. Among those of one
 * moment, as after a migration, newer chats come first.
 */
export const pendingSearches = statement<{ chat_id: string }>(
  'pending-searches',
  `SELECT chat_id FROM search_pending
    WHERE since <= now() - $1::bigint * interval '1 millisecond'
    ORDER BY since, chat_id DESC
    LIMIT $2`,
);

/** Chats that no longer exist: nothing else removes these rows. */
export const forgetGoneSearches = statement<{ chat_id: string }>(
  'forget-gone-searches',
  `DELETE FROM search_pending
    WHERE chat_id = ANY ($1::uuid[])
      AND NOT EXISTS (SELECT FROM chats WHERE chats.id = search_pending.chat_id)
   RETURNING chat_id`,
);
