import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const RestoreRecord = z.object({
  id: z.string(),
  target: z.string(),
  /** The files were changed completely. */
  isDone: z.boolean(),
});
export type RestoreRecord = z.infer<typeof RestoreRecord>;

/** The last restore of a workspace, as it is on the disk before the first file changes and after the last one. */
export class RestoreJournal {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async read(): Promise<RestoreRecord | undefined> {
    const text = await readFile(this.#path(), 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    return RestoreRecord.parse(JSON.parse(text));
  }

  async write(record: RestoreRecord): Promise<void> {
    const written = `${this.#path()}.new`;
    await rm(written, { force: true });
    const file = await open(written, 'wx', 0o600);
    try {
      await file.writeFile(JSON.stringify(record));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(written, this.#path());
    await this.#sync();
  }

  async clear(): Promise<void> {
    await rm(this.#path(), { force: true });
    await this.#sync();
  }

  async #sync(): Promise<void> {
    const folder = await open(this.#folder, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  #path(): string {
    return join(this.#folder, 'restore.json');
  }
}
