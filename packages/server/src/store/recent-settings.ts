import type { Settings } from '@chatd/protocol';
import type { Queryable } from './statement.ts';
import { loadSettings } from './settings.ts';

const AGE_MS = 2000;

/**
 * The settings, for those who look at them all the time. A change made here is seen at once, one made on another
 * replica soon; while the database is away, what was last known holds.
 */
export class RecentSettings {
  readonly #db: Queryable;
  readonly #ageMs: number;
  #known: Promise<Settings> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(db: Queryable, ageMs = AGE_MS) {
    this.#db = db;
    this.#ageMs = ageMs;
  }

  read = (): Promise<Settings> => {
    const now = performance.now();
    if (this.#known !== undefined && now - this.#readAt < this.#ageMs) return this.#known;
    this.#readAt = now;
    const before = this.#known;
    const read = loadSettings(this.#db).catch((error: unknown) => {
      this.#readAt = Number.NEGATIVE_INFINITY;
      this.#known = before;
      if (before === undefined) throw error;
      return before;
    });
    this.#known = read;
    return read;
  };

  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }
}
