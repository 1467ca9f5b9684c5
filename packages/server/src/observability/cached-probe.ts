import { within } from '../bus/within.ts';

export interface ProbeIntervals {
  /** How long an answer is good enough not to ask again. */
  readonly keptMs: number;
  /** How long an answer is shown at all, when none comes after it. */
  readonly shownMs: number;
  /** How long whoever looks waits for an answer. */
  readonly patienceMs: number;
}

/**
 * Something that only the database knows, for those who look at the metrics. They look when something is wrong, so an
 * answer that fails or does not come keeps nobody waiting: then there is none.
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
