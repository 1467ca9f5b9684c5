import type { Files } from '@chatd/loop';
import { ImageScaler } from '../images/image-scaler.ts';
import { loadFile, saveFile } from '../store/files.ts';
import type { Queryable } from '../store/statement.ts';
import { untilAnswered } from './until-answered.ts';

/** Decoding takes a core and much memory: one scaler serves all chats of the process. */
const scaler = new ImageScaler();

/**
 * The files of a chat. New ones belong to its owner; those that messages name were checked when they were sent. Waits for
 * a database that does not answer, until the signal aborts.
 */
export const chatFiles = (db: Queryable, ownerId: string, signal: AbortSignal): Files => ({
  save: (file) => untilAnswered(signal, () => saveFile(db, ownerId, file)),
  load: (id) => untilAnswered(signal, () => loadFile(db, id)),
  scaleImage: (image, limit) => scaler.scale(image, limit),
});
