import { statement } from '../statement.ts';

/** Of locked files. A message may have named one of them while the last other chat that used it was purged: that one stays. */
export const purgeUnusedFiles = statement<{ id: string }>(
  'purge-unused-files',
  `DELETE FROM files
    WHERE id = ANY ($1::uuid[]) AND NOT EXISTS (SELECT FROM chat_files WHERE file_id = files.id)
   RETURNING id`,
);
