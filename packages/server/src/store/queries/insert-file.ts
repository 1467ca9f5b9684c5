import type { FileRow } from '../files/file-row.ts';
import { statement } from '../statement.ts';
import { COUNTED_BYTES } from './counted-bytes.ts';
import { FILE_COLUMNS } from './file-columns.ts';

/**
 * $6: null when the bytes are in object storage. $7: the owner's quota in bytes; null: none. No row when the file is beyond
 * the quota. The caller holds the lock of the owner's files.
 */
export const insertFile = statement<FileRow>(
  'insert-file',
  `INSERT INTO files (id, owner_id, name, media_type, size, bytes)
   SELECT $1, $2, $3, $4, $5::integer, $6::bytea
    WHERE $7::bigint IS NULL
       OR (SELECT ${COUNTED_BYTES} FROM files WHERE owner_id = $2) + greatest($5::integer, 1024) <= $7
   RETURNING ${FILE_COLUMNS}`,
);
