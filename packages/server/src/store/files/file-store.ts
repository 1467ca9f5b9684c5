import type { MediaFile } from '@chatd/loop';
import { FILE_BYTES_LIMIT } from '@chatd/protocol';
import { Refused } from '../../chat/refused.ts';
import { FILE_LOCKS } from '../../postgres/advisory-locks.ts';
import type { Database } from '../database.ts';
import { announceObject, keepObject, outlastStorage } from '../queries/unused-files.ts';
import {
  bytesOfOwner,
  insertFile,
  lockFilesOfOwner,
  readFile,
  type StoredFile,
} from '../queries/files.ts';
import { loadSettings } from '../settings.ts';
import { onlyRow, type Queryable } from '../statement.ts';
import type { Transaction } from '../transaction.ts';
import { uuidv7 } from '../uuid.ts';
import type { FileRow } from './file-row.ts';
import { inMegabytes } from './megabytes.ts';
import { type ObjectStorage, StorageUnavailable } from './object-storage.ts';
import { safeFile } from './safe-file.ts';

export interface FileStoreOptions {
  readonly database: Database;
  /** Storage for new files. Default: the database. */
  readonly storage?: ObjectStorage | undefined;
}

interface StoreOptions {
  /** The caller's transaction. Default: a new one. */
  readonly tx?: Transaction | undefined;
  readonly maxBytes?: number;
}

/** Stores and loads files of users: uploads, and files from tools and models. */
export class FileStore {
  readonly #database: Database;
  readonly storage: ObjectStorage | undefined;

  constructor({ database, storage }: FileStoreOptions) {
    this.#database = database;
    this.storage = storage;
  }

  /** Refuses files that are too large or beyond the owner's quota. */
  async store(ownerId: string, file: MediaFile, options: StoreOptions = {}): Promise<FileRow> {
    const { tx, maxBytes = FILE_BYTES_LIMIT } = options;
    const { data, name, media_type } = safeFile(file);
    if (data.length > maxBytes) throw tooLarge(data.length, maxBytes);
    const id = uuidv7();
    const { max_file_bytes_per_user: quota } = await loadSettings(tx ?? this.#database);
    if (this.storage !== undefined) {
      await this.#refuseBeyondQuota(tx ?? this.#database, ownerId, data.length, quota);
      await this.#putObject(this.storage, id, data, tx);
    }
    const bytes = this.storage === undefined ? viewOf(data) : null;
    const inserted = { id, owner_id: ownerId, name, media_type, size: data.length, bytes, quota };
    const insert = async (db: Transaction): Promise<FileRow> => {
      await db.query(lockFilesOfOwner, { lock_space: FILE_LOCKS, owner_id: ownerId });
      const [row] = await db.query(insertFile, inserted);
      if (row === undefined) throw await this.#quotaExceeded(db, ownerId, data.length, quota);
      if (this.storage !== undefined) await db.query(keepObject, { key: id });
      return row;
    };
    return tx === undefined ? await this.#database.transaction(insert) : await insert(tx);
  }

  /**
   * Records the object first, so that housekeeping deletes it if its file is not stored. Within the transaction of the
   * caller that would need a second connection, and callers could block the pool; there, a crash before the commit
   * leaves the object behind.
   */
  async #putObject(
    storage: ObjectStorage,
    id: string,
    data: Uint8Array,
    tx: Transaction | undefined,
  ): Promise<void> {
    if (tx === undefined) await this.#database.query(announceObject, { key: id });
    else await tx.query(outlastStorage);
    await storage.put(id, data);
  }

  /** Undefined for a deleted file. */
  async load(id: string): Promise<MediaFile | undefined> {
    const [file] = await this.#database.query(readFile, { id });
    const data = file && (await this.#bytesOf(id, file));
    if (file === undefined || data === undefined) return undefined;
    return { data, media_type: file.media_type, name: file.name };
  }

  async #bytesOf(id: string, { bytes }: StoredFile): Promise<Buffer | undefined> {
    if (bytes !== null) return bytes;
    if (this.storage !== undefined) return await this.storage.get(id);
    throw new StorageUnavailable('The file is in object storage, but CHATD_FILES_URL is not set');
  }

  async #refuseBeyondQuota(
    db: Queryable,
    ownerId: string,
    size: number,
    quota: number | null,
  ): Promise<void> {
    if (quota === null) return;
    const { bytes } = onlyRow(await db.query(bytesOfOwner, { owner_id: ownerId }));
    if (bytes + size > quota) throw await this.#quotaExceeded(db, ownerId, size, quota);
  }

  async #quotaExceeded(
    db: Queryable,
    ownerId: string,
    size: number,
    quota: number | null,
  ): Promise<Refused> {
    const { bytes } = onlyRow(await db.query(bytesOfOwner, { owner_id: ownerId }));
    return new Refused(
      'quota_exceeded',
      `The file quota of ${inMegabytes(quota ?? 0)} is exceeded: ${inMegabytes(bytes)} are in use, and this file has ${inMegabytes(size)}. Delete files, or ask an admin to raise max_file_bytes_per_user.`,
    );
  }
}

/** The same bytes, without a copy. */
const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

const tooLarge = (bytes: number, limit: number): Refused =>
  new Refused(
    'body_too_large',
    `The file has ${inMegabytes(bytes)}. The limit is ${inMegabytes(limit)}.`,
  );
