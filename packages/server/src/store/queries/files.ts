import type { FileRow } from '../files/file-row.ts';
import { statement } from '../statement.ts';

export const FILE_COLUMNS = `id, name, media_type, size, created_at,
  ARRAY (SELECT chat_files.chat_id
           FROM chat_files JOIN chats ON chats.id = chat_files.chat_id
          WHERE chat_files.file_id = files.id AND chats.deleted_at IS NULL
          ORDER BY chat_files.chat_id) AS chat_ids`;

/** The size that counts toward a quota: at least 1 KiB per file. */
const COUNTED_BYTES = `coalesce(sum(greatest(size, 1024)), 0)::bigint`;

/** Files that a user may name in a message: their own, and those that the chat already uses. */
export const findFiles = statement<
  { owner_id: string; chat_id: string | null; ids: readonly string[] },
  FileRow
>(
  'find-files',
  `SELECT ${FILE_COLUMNS}
     FROM files
    WHERE id = ANY (:ids::uuid[])
      AND (owner_id = :owner_id
           OR EXISTS (SELECT FROM chat_files WHERE file_id = files.id AND chat_files.chat_id = :chat_id::uuid))`,
);

export interface StoredFile {
  readonly name: string;
  readonly media_type: string;
  /** Null: in object storage, under the id of the file. */
  readonly bytes: Buffer | null;
}

export const readFile = statement<{ id: string }, StoredFile>(
  'read-file',
  `SELECT name, media_type, bytes FROM files WHERE id = :id`,
);

/** Through files_by_owner, newest first. */
export const listFiles = statement<
  { owner_id: string; before_id: string | null; limit: number },
  FileRow
>(
  'list-files',
  `SELECT ${FILE_COLUMNS}
     FROM files
    WHERE owner_id = :owner_id AND (:before_id::uuid IS NULL OR id < :before_id)
    ORDER BY id DESC
    LIMIT :limit`,
);

/** Index-only, through files_size_by_owner. */
export const bytesOfOwner = statement<{ owner_id: string }, { bytes: number }>(
  'bytes-of-owner',
  `SELECT ${COUNTED_BYTES} AS bytes FROM files WHERE owner_id = :owner_id`,
);

/** Serializes additions of files of one owner until the transaction ends. */
export const lockFilesOfOwner = statement<{ lock_space: number; owner_id: string }, never>(
  'lock-files-of-owner',
  `SELECT pg_advisory_xact_lock(:lock_space::integer, hashtext(:owner_id::text))`,
);

/**
 * Null :bytes: in object storage. Null :quota: no quota. No row: the quota is exceeded. The caller holds the lock of
 * the owner's files.
 */
export const insertFile = statement<
  {
    id: string;
    owner_id: string;
    name: string;
    media_type: string;
    size: number;
    bytes: Buffer | null;
    quota: number | null;
  },
  FileRow
>(
  'insert-file',
  `INSERT INTO files (id, owner_id, name, media_type, size, bytes)
   SELECT :id, :owner_id, :name, :media_type, :size::integer, :bytes::bytea
    WHERE :quota::bigint IS NULL
       OR (SELECT ${COUNTED_BYTES} FROM files WHERE owner_id = :owner_id) + greatest(:size::integer, 1024) <= :quota
   RETURNING ${FILE_COLUMNS}`,
);

/** Messages keep the id, name and type of the file. A trigger records its object for deletion. */
export const deleteFile = statement<{ id: string }, never>(
  'delete-file',
  `DELETE FROM files WHERE id = :id`,
);
