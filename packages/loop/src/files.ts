import type { MediaFile } from './tools/media.ts';

/** Stores the files that users attach and that models and tools make. Messages name them by id. */
export interface Files {
  /**
   * The id must be a UUID: it goes into messages. Rejects with `FileRefused` when the file cannot be stored for a reason
   * that lasts, such as a quota: the model reads the reason in place of the file. Any other rejection ends the turn.
   */
  save(file: MediaFile): Promise<string>;
  /** Undefined for a deleted file: the model reads a note in its place. Rejects when the file cannot be read now. */
  load(id: string): Promise<MediaFile | undefined>;
  /**
   * A copy of an image that is damaged, too large or of an unsuitable type, within the limits. Undefined when there can
   * be none: the model reads a note in its place then, and also when this rejects or is left out.
   */
  scaleImage?(image: MediaFile, limit: ImageLimit): Promise<MediaFile | undefined>;
}

/** A file that is not stored. The message says why. */
export class FileRefused extends Error {
  override readonly name = 'FileRefused';
}

export interface ImageLimit {
  readonly maxBytes: number;
  /** The longer side, in pixels. */
  readonly maxSide: number;
}

export class MemoryFiles implements Files {
  #files = new Map<string, MediaFile>();

  save(file: MediaFile): Promise<string> {
    const id = crypto.randomUUID();
    this.#files.set(id, file);
    return Promise.resolve(id);
  }

  load(id: string): Promise<MediaFile | undefined> {
    return Promise.resolve(this.#files.get(id));
  }

  delete(id: string): void {
    this.#files.delete(id);
  }
}
