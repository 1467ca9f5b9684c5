import { DatabaseUnavailable } from '../unavailable.ts';

/** Holds the bytes of files outside the database. Writing and deleting the same key again is harmless. */
export interface ObjectStorage {
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Undefined: not found. */
  get(key: string): Promise<Buffer | undefined>;
  delete(key: string): Promise<void>;
}

/** The storage failed or cannot be reached. The caller can retry. */
export class StorageUnavailable extends DatabaseUnavailable {}
