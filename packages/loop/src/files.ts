import type { MediaFile } from './tools/media.ts';

/** Stores the files that users attach and that models and tools create. Messages refer to them by ID. */
export interface Files {
  /**
   * Returns a UUID, which messages contain. Rejects with `FileRefused` if the file cannot be stored for a permanent
   * reason, such as a quota: the model then sees the reason instead. Any other rejection ends the turn.
   */
  save(file: MediaFile): Promise<string>;
  /** Undefined for a deleted file: the model sees a note instead. Rejects if the file cannot be read now. */
  load(id: string): Promise<MediaFile | undefined>;
  /**
   * A copy within the limits of an image that is damaged, too large or of an unsupported type. If it returns undefined,
   * rejects or is omitted, the model sees a note instead.
   */
  scaleImage?(image: MediaFile, limit: ImageLimit): Promise<MediaFile | undefined>;
}

/** A file that was not stored. The message says why. */
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
