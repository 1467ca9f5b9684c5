import { type FileHandle, open } from 'node:fs/promises';
import type { Effect } from '../deployment/effects.ts';

const CHUNK = Buffer.alloc(256 * 1024);

/** The file of effects as it grows; what belongs to a chat that was judged is forgotten. */
export class EffectLedger {
  readonly #path: string;
  readonly #effects = new Map<string, Effect[]>();
  #file: FileHandle | undefined;
  #position = 0;
  #rest = '';
  #reading: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** What these messages did to the world; the ledger forgets it. */
  async take(planIds: readonly string[]): Promise<Effect[]> {
    await this.#read();
    return planIds.flatMap((id) => {
      const effects = this.#effects.get(id) ?? [];
      this.#effects.delete(id);
      return effects;
    });
  }

  /** Effects of messages that nobody has asked for, or that happened after somebody had. */
  async left(): Promise<Effect[]> {
    await this.#read();
    return [...this.#effects.values()].flat();
  }

  async close(): Promise<void> {
    await this.#reading;
    await this.#file?.close();
  }

  #read(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#readOn());
    return this.#reading;
  }

  async #readOn(): Promise<void> {
    this.#file ??= await open(this.#path).catch(() => undefined);
    if (this.#file === undefined) return;
    for (;;) {
      const { bytesRead } = await this.#file.read(CHUNK, 0, CHUNK.length, this.#position);
      if (bytesRead === 0) return;
      this.#position += bytesRead;
      // Keys and names are ASCII: no character is cut in two.
      const lines = (this.#rest + CHUNK.toString('utf8', 0, bytesRead)).split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) this.#note(JSON.parse(line) as Effect);
    }
  }

  #note(effect: Effect): void {
    const [planId = ''] = effect.key.split('/');
    const known = this.#effects.get(planId) ?? [];
    known.push(effect);
    this.#effects.set(planId, known);
  }
}
