import type { Logger } from 'pino';

/**
 * Notifies listeners that messages may have been lost. They read the database then, so further gaps within a short time
 * are reported together.
 */
export class GapListeners {
  readonly #listeners = new Set<{ readonly call: () => void }>();
  readonly #everyMs: number;
  readonly #log: Logger;
  #resting: NodeJS.Timeout | undefined;
  #again = false;

  constructor(everyMs: number, log: Logger) {
    this.#everyMs = everyMs;
    this.#log = log;
  }

  add(call: () => void): () => void {
    const listener = { call };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(): void {
    if (this.#resting !== undefined) {
      this.#again = true;
      return;
    }
    this.#resting = setTimeout(() => this.#rested(), this.#everyMs).unref();
    for (const listener of this.#listeners) {
      try {
        listener.call();
      } catch (error) {
        this.#log.error({ err: error }, 'bus gap listener failed');
      }
    }
  }

  close(): void {
    clearTimeout(this.#resting);
    this.#listeners.clear();
  }

  #rested(): void {
    this.#resting = undefined;
    const again = this.#again;
    this.#again = false;
    if (again) this.tell();
  }
}
