import type { FileRow } from '../files/file-row.ts';
import { statement } from '../statement.ts';

/** What a `FileRow` has. */
export const FILE_COLUMNS = `id, name, media_type, size, created_at,
  ARRAY (SELECT chat_files.chat_id
           FROM chat_files JOIN chats ON chats.id = chat_files.chat_id
          WHERE chat_files.file_id = files.id AND chats.deleted_at IS NULL
          ORDER BY chat_files.chat_id) AS chat_ids`;

/** What files count for in a quota. A file counts as 1 KiB at least: empty files take room, too. */
export const COUNTED_BYTES = `coalesce(sum(greatest(size, 1024)), 0)::bigint`;

export const findFiles = statement<FileRow>(
  'find-files',
  `SELECT ${FILE_COLUMNS} FROM files WHERE owner_id = $1 AND id = ANY ($2::uuid[])`,
);

export interface StoredFile {
  readonly name: string;
  readonly media_type: string;
  /** Null: in object storage, under the id of the file. */
  readonly bytes: Buffer | null;
}

export const readFile = statement<StoredFile>(
  'read-file',
  `SELECT name, media_type, bytes FROM files WHERE id = $1`,
);

/** Through files_by_owner, newest first. */
export const listFiles = statement<FileRow>(
  'list-files',
  `SELECT ${FILE_COLUMNS}
     FROM files
    WHERE owner_id = $1 AND ($2::uuid IS NULL OR id < $2)
    ORDER BY id DESC
    LIMIT $3`,
);

/** Index-only, through files_size_by_owner. */
export const bytesOfOwner = statement<{ bytes: number }>(
  'bytes-of-owner',
  `SELECT ${COUNTED_BYTES} AS bytes FROM files WHERE owner_id = $1`,
);

/** Until the transaction ends: files of one owner are counted and added one after the other. */
export const lockFilesOfOwner = statement<never>(
  'lock-files-of-owner',
  `SELECT pg_advisory_xact_lock($1::integer, hashtext($2::text))`,
);

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

/** Messages that name it keep its id, name and type. A trigger notes an object that goes with it. */
export const deleteFile = statement<never>('delete-file', `DELETE FROM files WHERE id = $1`);
