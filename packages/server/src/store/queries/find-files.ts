import type { FileRow } from '../files.ts';
import { statement } from '../statement.ts';

export const findFiles = statement<FileRow>(
  'find-files',
  `SELECT id, name, media_type, size, created_at FROM files WHERE owner_id = $1 AND id = ANY ($2::uuid[])`,
);
