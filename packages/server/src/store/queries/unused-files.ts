import { statement } from '../statement.ts';

/**
 * Files that no chat has used for a week, or whose chats are deleted. The lock keeps messages from naming them. None
 * while the references of older messages are incomplete.
 */
export const lockUnusedFiles = statement<{ limit: number }, { id: string }>(
  'lock-unused-files',
  `SELECT id FROM files
    WHERE unused_since < now() - interval '7 days' AND NOT EXISTS (SELECT FROM chat_files_backfill)
    ORDER BY unused_since
    LIMIT :limit
      FOR UPDATE SKIP LOCKED`,
);

/** Locked files that were not purged are in use. */
export const keepUsedFiles = statement<{ ids: readonly string[] }, never>(
  'keep-used-files',
  `UPDATE files SET unused_since = NULL WHERE id = ANY (:ids::uuid[])`,
);

/** Of locked files, those without references. A message may have named one before the lock was taken. */
export const purgeUnusedFiles = statement<{ ids: readonly string[] }, { id: string }>(
  'purge-unused-files',
  `DELETE FROM files
    WHERE id = ANY (:ids::uuid[]) AND NOT EXISTS (SELECT FROM chat_files WHERE file_id = files.id)
   RETURNING id`,
);

/** Records the files of the next :limit chats. Triggers record those of messages since migration 0017. */
export const backfillChatFiles = statement<{ limit: number }, { id: string }>(
  'backfill-chat-files',
  `WITH batch AS MATERIALIZED (
     SELECT id FROM chats
      WHERE id > (SELECT last_chat_id FROM chat_files_backfill)
      ORDER BY id
      LIMIT :limit
   ), named AS (
     SELECT batch.id AS chat_id, content.file_id
       FROM batch
       JOIN messages ON messages.chat_id = batch.id
      CROSS JOIN LATERAL files_named_in(messages.content) AS content (file_id)
     UNION
     SELECT batch.id, content.file_id
       FROM batch
       JOIN queued_messages ON queued_messages.chat_id = batch.id
      CROSS JOIN LATERAL files_named_in(queued_messages.content::json) AS content (file_id)
     UNION
     SELECT batch.id, content.file_id
       FROM batch
       JOIN chat_versions ON chat_versions.chat_id = batch.id
       JOIN version_messages ON version_messages.version_id = chat_versions.id
      CROSS JOIN LATERAL files_named_in(version_messages.content) AS content (file_id)
   ), used AS (
     INSERT INTO chat_files (chat_id, file_id)
     SELECT named.chat_id, files.id FROM named JOIN files ON files.id = named.file_id
     ON CONFLICT DO NOTHING
   ), moved AS (
     UPDATE chat_files_backfill
        SET last_chat_id = (SELECT id FROM batch ORDER BY id DESC LIMIT 1)
      WHERE EXISTS (SELECT FROM batch)
   )
   SELECT id FROM batch`,
);

/** All references are recorded. Unused files from before migration 0017 get a week from now. */
export const finishBackfill = statement<null, never>(
  'finish-backfill',
  `WITH finished AS (DELETE FROM chat_files_backfill RETURNING last_chat_id)
   UPDATE files SET unused_since = now()
    WHERE unused_since IS NULL
      AND EXISTS (SELECT FROM finished)
      AND NOT EXISTS (SELECT FROM chat_files WHERE file_id = files.id)`,
);

/** Before an object is written. Housekeeping deletes the object unless its file is stored within an hour. */
export const announceObject = statement<{ key: string }, never>(
  'announce-object',
  `INSERT INTO unwanted_objects (key, delete_after) VALUES (:key::uuid::text, now() + interval '1 hour')`,
);

/** In the transaction that stores the file of the object. */
export const keepObject = statement<{ key: string }, never>(
  'keep-object',
  `DELETE FROM unwanted_objects WHERE key = :key::uuid::text`,
);

export const unwantedObjects = statement<{ limit: number }, { key: string }>(
  'unwanted-objects',
  `SELECT key FROM unwanted_objects WHERE delete_after < now() ORDER BY delete_after LIMIT :limit`,
);

/** The objects have been deleted. */
export const forgetObjects = statement<{ keys: readonly string[] }, never>(
  'forget-objects',
  `DELETE FROM unwanted_objects WHERE key = ANY (:keys::text[])`,
);

/** Object storage may take longer than a session may be idle in a transaction. */
export const outlastStorage = statement<null, { set_config: string }>(
  'outlast-storage',
  `SELECT set_config('idle_in_transaction_session_timeout', '90s', true)`,
);
