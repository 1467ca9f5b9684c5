import { statement } from '../statement.ts';

/** Entries older than $2 hours, and those of chats that are gone. The table holds no more than the former allow. */
export const purgeDebugEntries = statement<{ id: string }>(
  'purge-debug-entries',
  `DELETE FROM debug_entries
    WHERE id IN (SELECT id
                   FROM debug_entries
                  WHERE created_at < now() - $2::integer * interval '1 hour'
                     OR NOT EXISTS (SELECT FROM chats WHERE chats.id = debug_entries.chat_id)
                  LIMIT $1
                    FOR UPDATE SKIP LOCKED)
   RETURNING id`,
);
