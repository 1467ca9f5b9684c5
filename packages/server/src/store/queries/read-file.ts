import { statement } from '../statement.ts';

export interface StoredFile {
  readonly name: string;
  readonly media_type: string;
  readonly bytes: Buffer;
}

export const readFile = statement<StoredFile>(
  'read-file',
  `SELECT name, media_type, bytes FROM files WHERE id = $1`,
);
