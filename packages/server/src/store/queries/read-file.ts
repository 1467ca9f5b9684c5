import { statement } from '../statement.ts';

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
