import { within } from '../bus/within.ts';

export interface ProbeIntervals {
  /** How long a result counts as fresh. */
  readonly keptMs: number;
  /** How long a stale result is shown if no newer one arrives. */
  readonly shownMs: number;
  /** How long a reader waits for a result. */
  readonly patienceMs: number;
}

/**
 * Caches a value that only the database knows, for metrics. Scrapes must not block when the database is slow, so a
 * failed or late probe returns undefined.
 */
export class CachedProbe<T> {
  readonly #read: () => Promise<T>;
  readonly #times: ProbeIntervals;
  #seen: { readonly value: T; readonly at: number } | undefined;
  #looking: Promise<void> | undefined;

  constructor(read: () => Promise<T>, times: ProbeIntervals) {
    this.#read = read;
    this.#times = times;
  }

  async value(): Promise<T | undefined> {
    const { keptMs, shownMs, patienceMs } = this.#times;
    if (!this.#isYoungerThan(keptMs)) {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
      await within(patienceMs, this.#looking);
    }
    return this.#isYoungerThan(shownMs) ? this.#seen?.value : undefined;
  }

  #isYoungerThan(ms: number): boolean {
    return this.#seen !== undefined && performance.now() - this.#seen.at < ms;
  }

  async #look(): Promise<void> {
    try {
      const value = await this.#read();
      this.#seen = { value, at: performance.now() };
    } catch {
      this.#seen = undefined;
    }
  }
}
