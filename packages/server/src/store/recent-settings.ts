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
  #value: Settings | undefined;

  constructor(db: Queryable, ageMs = AGE_MS) {
    this.#db = db;
    this.#ageMs = ageMs;
  }

  read = (): Promise<Settings> => {
    const now = performance.now();
    if (this.#known !== undefined && now - this.#readAt < this.#ageMs) return this.#known;
    this.#readAt = now;
    const before = this.#known;
    const read = this.#load(now).catch((error: unknown) => {
      this.#readAt = Number.NEGATIVE_INFINITY;
      this.#known = before;
      if (before === undefined) throw error;
      return before;
    });
    this.#known = read;
    return read;
  };

  /** The last known settings, without waiting. Undefined: they were not read since the last change here. */
  recent = (): Settings | undefined => {
    this.read().catch(() => undefined);
    return this.#value;
  };

  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
    this.#value = undefined;
  }

  async #load(readAt: number): Promise<Settings> {
    const settings = await loadSettings(this.#db);
    // Otherwise they were changed or read again meanwhile.
    if (this.#readAt === readAt) this.#value = settings;
    return settings;
  }
}
