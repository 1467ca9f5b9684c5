import type { Authentication } from './authenticate.ts';

/** Credentials with less time left are not cached: `expires_soon` in the statements. */
const LIFETIME_MS = 1000;
const MAX_ENTRIES = 4096;

export interface LookedUp {
  readonly authentication: Authentication;
  readonly expiresSoon: boolean;
}

interface Entry {
  readonly until: number;
  readonly lookup: Promise<LookedUp>;
  /** Undefined during the lookup. */
  userId?: string;
}

/**
 * Authenticated callers, for one second from the start of the lookup. A change of a user drops their entries at once;
 * if its message is lost, they expire. Failed authentications are not cached.
 */
export class CallerCache {
  /** All entries live equally long, so the first is the next to expire. */
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The key contains the hash of the secret. Concurrent requests share a lookup. */
  async find(key: string, lookUp: () => Promise<LookedUp>): Promise<Authentication> {
    const now = this.#now();
    const known = this.#entries.get(key);
    if (known !== undefined && now < known.until) return (await known.lookup).authentication;
    this.#entries.delete(key);
    this.#makeRoom(now);
    const entry: Entry = { until: now + LIFETIME_MS, lookup: lookUp() };
    this.#entries.set(key, entry);
    try {
      const { authentication, expiresSoon } = await entry.lookup;
      const { caller } = authentication;
      if (caller !== null && !expiresSoon) entry.userId = caller.user.id;
      return authentication;
    } finally {
      if (entry.userId === undefined && this.#entries.get(key) === entry) this.#entries.delete(key);
    }
  }

  /** Also drops lookups in progress: they may have read the user before the change. */
  forget(userId: string): void {
    for (const [key, entry] of this.#entries) {
      if (entry.userId === undefined || entry.userId === userId) this.#entries.delete(key);
    }
  }

  #makeRoom(now: number): void {
    for (const [key, { until }] of this.#entries) {
      if (this.#entries.size < MAX_ENTRIES && now < until) return;
      this.#entries.delete(key);
    }
  }
}
