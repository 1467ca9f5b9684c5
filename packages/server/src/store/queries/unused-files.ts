import { statement } from '../statement.ts';

/**
 * Files that no chat uses: never used for a week, or used by chats that are gone. The lock keeps messages from naming
 * them until the transaction ends. None while the references of older messages are incomplete.
 */
export const lockUnusedFiles = statement<{ limit: number }, { id: string }>(
  'lock-unused-files',
  `SELECT id FROM files
    WHERE unused_since < now() - interval '7 days' AND NOT EXISTS (SELECT FROM chat_files_backfill)
    ORDER BY unused_since
    LIMIT :limit
      FOR UPDATE SKIP LOCKED`,
);

/** Of locked files: those that were not purged are in use. */
export const keepUsedFiles = statement<{ ids: readonly string[] }, never>(
  'keep-used-files',
  `UPDATE files SET unused_since = NULL WHERE id = ANY (:ids::uuid[])`,
);

/** Of locked files. A message may have named one of them while the last other chat that used it was purged: that one stays. */
export const purgeUnusedFiles = statement<{ ids: readonly string[] }, { id: string }>(
  'purge-unused-files',
  `DELETE FROM files
    WHERE id = ANY (:ids::uuid[]) AND NOT EXISTS (SELECT FROM chat_files WHERE file_id = files.id)
   RETURNING id`,
);

/** The files that the messages of the next :limit chats name. Messages of after migration 0017 are known: triggers see them. */
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

/** All references are known: files of before migration 0017 that no chat uses have a week from now. */
export const finishBackfill = statement<null, never>(
  'finish-backfill',
  `WITH finished AS (DELETE FROM chat_files_backfill RETURNING last_chat_id)
   UPDATE files SET unused_since = now()
    WHERE unused_since IS NULL
      AND EXISTS (SELECT FROM finished)
      AND NOT EXISTS (SELECT FROM chat_files WHERE file_id = files.id)`,
);

/** Before an object is written: housekeeping deletes it, unless its file is stored within an hour. */
export const announceObject = statement<{ key: string }, never>(
  'announce-object',
  `INSERT INTO unwanted_objects (key, delete_after) VALUES (:key::uuid::text, now() + interval '1 hour')`,
);

/** In the transaction that stores the file of an announced object. */
export const keepObject = statement<{ key: string }, never>(
  'keep-object',
  `DELETE FROM unwanted_objects WHERE key = :key::uuid::text`,
);

export const unwantedObjects = statement<{ limit: number }, { key: string }>(
  'unwanted-objects',
  `SELECT key FROM unwanted_objects WHERE delete_after < now() ORDER BY delete_after LIMIT :limit`,
);

/** Objects that are deleted. */
export const forgetObjects = statement<{ keys: readonly string[] }, never>(
  'forget-objects',
  `DELETE FROM unwanted_objects WHERE key = ANY (:keys::text[])`,
);

/** The transaction waits for object storage, which may take longer than sessions may be idle in a transaction. */
export const outlastStorage = statement<null, { set_config: string }>(
  'outlast-storage',
  `SELECT set_config('idle_in_transaction_session_timeout', '90s', true)`,
);
