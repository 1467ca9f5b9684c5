import type { Database } from '../store/database.ts';
import { touchTokens } from '../store/queries/tokens.ts';

const EVERY_MS = 60_000;

/** Collects the last use of tokens in memory and writes it once a minute, so that requests do not wait for it. */
export class LastUsed {
  readonly #database: Database;
  readonly #onError: (error: unknown) => void;
  readonly #used = new Map<string, Date>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: {
    database: Database;
    onError: (error: unknown) => void;
    everyMs?: number;
  }) {
    this.#database = options.database;
    this.#onError = options.onError;
    this.#timer = setInterval(() => void this.write(), options.everyMs ?? EVERY_MS);
    this.#timer.unref();
  }

  note(tokenId: string, at: Date): void {
    this.#used.set(tokenId, at);
  }

  async write(): Promise<void> {
    if (this.#used.size === 0) return;
    const [ids, times] = [[...this.#used.keys()], [...this.#used.values()]];
    this.#used.clear();
    try {
      await this.#database.query(touchTokens, { ids, used_at: times });
    } catch (error) {
      this.#onError(error);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }
}
