import { type FileHandle, open } from 'node:fs/promises';
import type { Effect } from '../deployment/effects.ts';

const CHUNK = Buffer.alloc(256 * 1024);

/** Reads the effects file incrementally, and discards the effects of checked chats. */
export class EffectLedger {
  readonly #path: string;
  readonly #effects = new Map<string, Effect[]>();
  #file: FileHandle | undefined;
  #position = 0;
  #partialLine = '';
  #reading: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns and discards the effects of these messages. */
  async take(planIds: readonly string[]): Promise<Effect[]> {
    await this.#read();
    return planIds.flatMap((id) => {
      const effects = this.#effects.get(id) ?? [];
      this.#effects.delete(id);
      return effects;
    });
  }

  /** Effects of unknown messages, and effects after the check of their chat. */
  async remaining(): Promise<Effect[]> {
    await this.#read();
    return [...this.#effects.values()].flat();
  }

  async close(): Promise<void> {
    await this.#reading;
    await this.#file?.close();
  }

  #read(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#readMore());
    return this.#reading;
  }

  async #readMore(): Promise<void> {
    this.#file ??= await open(this.#path).catch(() => undefined);
    if (this.#file === undefined) return;
    for (;;) {
      const { bytesRead } = await this.#file.read(CHUNK, 0, CHUNK.length, this.#position);
      if (bytesRead === 0) return;
      this.#position += bytesRead;
      // The file is ASCII, so chunks never split a character.
      const lines = (this.#partialLine + CHUNK.toString('utf8', 0, bytesRead)).split('\n');
      this.#partialLine = lines.pop() ?? '';
      for (const line of lines) this.#add(JSON.parse(line) as Effect);
    }
  }

  #add(effect: Effect): void {
    const [planId = ''] = effect.key.split('/');
    const known = this.#effects.get(planId) ?? [];
    known.push(effect);
    this.#effects.set(planId, known);
  }
}
