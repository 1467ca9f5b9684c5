import type { FileRow } from '../files/file-row.ts';
import { statement } from '../statement.ts';
import { FILE_COLUMNS } from './file-columns.ts';

export const findFiles = statement<FileRow>(
  'find-files',
  `SELECT ${FILE_COLUMNS} FROM files WHERE owner_id = $1 AND id = ANY ($2::uuid[])`,
);
