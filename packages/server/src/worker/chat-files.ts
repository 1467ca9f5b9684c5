import { FileRefused, type Files, type MediaFile } from '@chatd/loop';
import { Refused } from '../chat/refused.ts';
import { ImageScaler } from '../images/image-scaler.ts';
import type { FileStore } from '../store/files/file-store.ts';
import { untilAnswered } from './until-answered.ts';

/** Shared by all chats of the process: decoding takes a core and much memory. */
const scaler = new ImageScaler();

/** Tools and models may create larger files than clients may upload, such as desktop recordings. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The files of a chat. New files belong to its owner. Files that messages name were checked when the messages were sent.
 * Waits for an unavailable database or file storage until the signal aborts.
 */
export const chatFiles = (files: FileStore, ownerId: string, signal: AbortSignal): Files => ({
  save: (file) => untilAnswered(signal, () => save(files, ownerId, file)),
  load: (id) => untilAnswered(signal, () => files.load(id)),
  scaleImage: (image, limit) => scaler.scale(image, limit),
});

async function save(files: FileStore, ownerId: string, file: MediaFile): Promise<string> {
  try {
    return (await files.store(ownerId, file, { maxBytes: MAX_BYTES })).id;
  } catch (error) {
    if (error instanceof Refused) throw new FileRefused(error.message, { cause: error });
    throw error;
  }
}
