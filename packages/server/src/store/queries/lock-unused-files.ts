import { statement } from '../statement.ts';

/**
 * Files that no chat uses: never used for a week, or used by chats that are gone. The lock keeps messages from naming
 * them until the transaction ends. None while the references of older messages are incomplete.
 */
export const lockUnusedFiles = statement<{ id: string }>(
  'lock-unused-files',
  `SELECT id FROM files
    WHERE unused_since < now() - interval '7 days' AND NOT EXISTS (SELECT FROM chat_files_backfill)
    ORDER BY unused_since
    LIMIT $1
      FOR UPDATE SKIP LOCKED`,
);
