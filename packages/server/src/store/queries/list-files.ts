import type { FileRow } from '../files/file-row.ts';
import { statement } from '../statement.ts';
import { FILE_COLUMNS } from './file-columns.ts';

/** Through files_by_owner, newest first. */
export const listFiles = statement<FileRow>(
  'list-files',
  `SELECT ${FILE_COLUMNS}
     FROM files
    WHERE owner_id = $1 AND ($2::uuid IS NULL OR id < $2)
    ORDER BY id DESC
    LIMIT $3`,
);
