import type { MediaFile } from './tools/media.ts';

/** Where files live that models and tools make and that users attach; messages name them by id. */
export interface Files {
  /** The id must be a UUID: it goes into messages. */
  save(file: MediaFile): Promise<string>;
  load(id: string): Promise<MediaFile>;
}

export class MemoryFiles implements Files {
  #files = new Map<string, MediaFile>();

  save(file: MediaFile): Promise<string> {
    const id = crypto.randomUUID();
    this.#files.set(id, file);
    return Promise.resolve(id);
  }

  load(id: string): Promise<MediaFile> {
    const file = this.#files.get(id);
    return file === undefined
      ? Promise.reject(new Error(`there is no file ${id}`))
      : Promise.resolve(file);
  }
}
