import { statement } from '../../statement.ts';

/** Nobody can restore these any more. Their messages and subagents go with them. */
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
