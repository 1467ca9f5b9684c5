import type { Settings } from '@chatd/protocol';
import type { Queryable } from './statement.ts';
import { loadSettings } from './settings.ts';

const AGE_MS = 2000;

/**
 * Caches the settings. A change by this process applies immediately, one by another replica soon. While the database is
 * unavailable, the last known settings apply.
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
