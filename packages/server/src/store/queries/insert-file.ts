import type { FileRow } from '../files.ts';
import { statement } from '../statement.ts';

export const insertFile = statement<FileRow>(
  'insert-file',
  `INSERT INTO files (id, owner_id, name, media_type, size, bytes)
   VALUES ($1, $2, $3, $4, octet_length($5::bytea), $5)
   RETURNING id, name, media_type, size, created_at`,
);
