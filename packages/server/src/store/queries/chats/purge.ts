import { statement } from '../../statement.ts';

/** Chats whose time to be restored is over. Their messages, subagents and events are deleted with them. */
export const purgeDeletedChats = statement<{ limit: number }, { id: string }>(
  'purge-deleted-chats',
  `WITH purged AS (
     SELECT id FROM chats
      WHERE deleted_at < now() - interval '24 hours'
      ORDER BY deleted_at
      LIMIT :limit
        FOR UPDATE SKIP LOCKED
   ), events AS (
     DELETE FROM outbox
      WHERE subject_id IN (SELECT id FROM purged
                           UNION ALL SELECT chats.id FROM chats JOIN purged ON purged.id = chats.root_chat_id)
   )
   DELETE FROM chats WHERE id IN (SELECT id FROM purged)
   RETURNING id`,
);

/** Chats of requests that asked not to be stored have this label, which is not a valid name for users. */
export const UNSTORED = { name: '.unstored', value: 'true' } as const;

/** A deleted chat that was not to be stored. It cannot be restored. */
export const purgeUnstoredChat = statement<{ id: string }, { id: string }>(
  'purge-unstored-chat',
  `DELETE FROM chats
    WHERE id = :id AND deleted_at IS NOT NULL AND labels ->> '${UNSTORED.name}' = '${UNSTORED.value}'
   RETURNING id`,
);

/** Idle chats that were not to be stored, through chats_unstored. A chat that waits for an answer may do so for an hour. */
export const findUnstoredChats = statement<
  { limit: number; after_id: string | null },
  { id: string }
>(
  'find-unstored-chats',
  `SELECT id
     FROM chats
    WHERE labels ->> '${UNSTORED.name}' = '${UNSTORED.value}' AND deleted_at IS NULL
      AND (status IN ('waiting', 'error') AND updated_at < now() - interval '10 minutes'
           OR status = 'requires_action' AND updated_at < now() - interval '1 hour')
      AND (:after_id::uuid IS NULL OR id > :after_id)
    ORDER BY id
    LIMIT :limit`,
);
