import type { Files, MediaFile } from '@chatd/loop';
import type { Queryable } from '../store/statement.ts';
import { loadFile, saveFile } from '../store/files.ts';

/** What models and tools make of a chat is its owner's; what messages name was checked when they were sent. */
export const chatFiles = (db: Queryable, ownerId: string): Files => ({
  save: (file: MediaFile) => saveFile(db, ownerId, file),
  load: (id: string) => loadFile(db, id),
});
