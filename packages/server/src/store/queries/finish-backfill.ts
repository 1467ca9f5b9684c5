import { statement } from '../statement.ts';

/** All references are known: files of before migration 0017 that no chat uses have a week from now. */
export const finishBackfill = statement<never>(
  'finish-backfill',
  `WITH finished AS (DELETE FROM chat_files_backfill RETURNING last_chat_id)
   UPDATE files SET unused_since = now()
    WHERE unused_since IS NULL
      AND EXISTS (SELECT FROM finished)
      AND NOT EXISTS (SELECT FROM chat_files WHERE file_id = files.id)`,
);
