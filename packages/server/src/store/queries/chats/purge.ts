import { statement } from '../../statement.ts';

/** Chats whose time to be restored is over. Their messages and subagents are deleted with them. */
export const purgeDeletedChats = statement<{ limit: number }, { id: string }>(
  'purge-deleted-chats',
  `DELETE FROM chats
    WHERE id IN (SELECT id FROM chats
                  WHERE deleted_at < now() - interval '24 hours'
                  ORDER BY deleted_at
                  LIMIT :limit
                    FOR UPDATE SKIP LOCKED)
   RETURNING id`,
);
