import { DatabaseUnavailable } from '../unavailable.ts';

/** Holds the bytes of files outside the database. Writing and deleting the same key again is harmless. */
export interface ObjectStorage {
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Undefined: there is no such object. */
  get(key: string): Promise<Buffer | undefined>;
  delete(key: string): Promise<void>;
}

/** The storage did not do what it was asked to; the caller can retry, as with a database that is not available. */
export class StorageUnavailable extends DatabaseUnavailable {}
