import { type MediaFile, mediaTypeOf } from '@chatd/loop';
import type { InputPart } from '@chatd/protocol';
import { Refused } from '../chat/refused.ts';
import type { StoredPart } from '../chat/row.ts';
import { findFiles } from './queries/find-files.ts';
import { insertFile } from './queries/insert-file.ts';
import { readFile } from './queries/read-file.ts';
import { onlyRow, type Queryable } from './statement.ts';
import { uuidv7 } from './uuid.ts';

export interface FileRow {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly size: number;
  readonly created_at: Date;
}

/** What a client sent, as it is stored: files must be the sender's own, and get the type and name of the upload. */
export async function completeContent(
  db: Queryable,
  ownerId: string,
  content: readonly InputPart[],
): Promise<StoredPart[]> {
  const wanted = content.flatMap((part) => (part.type === 'file' ? [part.file_id] : []));
  const rows = wanted.length === 0 ? [] : await db.query(findFiles, [ownerId, wanted]);
  const files = new Map(rows.map((row) => [row.id, row]));
  return content.map((part): StoredPart => {
    if (part.type !== 'file') return { ...part };
    const file = files.get(part.file_id.toLowerCase());
    if (file === undefined) {
      throw new Refused('unknown_file', `There is no file ${part.file_id}: upload it first.`);
    }
    return { type: 'file', file_id: file.id, media_type: file.media_type, name: file.name };
  });
}

/** Stores a file with the type of its bytes: what clients and tools declare can be wrong, and providers refuse it then. */
export async function storeFile(db: Queryable, ownerId: string, file: MediaFile): Promise<FileRow> {
  const { data, name = 'file' } = file;
  const values = [uuidv7(), ownerId, name, mediaTypeOf(file), Buffer.from(data)];
  return onlyRow(await db.query(insertFile, values));
}

/** Stores a file that a model or a tool made. */
export async function saveFile(db: Queryable, ownerId: string, file: MediaFile): Promise<string> {
  return (await storeFile(db, ownerId, file)).id;
}

/** Undefined for a deleted file. */
export async function loadFile(db: Queryable, id: string): Promise<MediaFile | undefined> {
  const [file] = await db.query(readFile, [id]);
  return file && { data: file.bytes, media_type: file.media_type, name: file.name };
}
