/** What tools can report while they run. */
export interface Run {
  /** Reports that the tool only waits. While all tools of a turn wait, the chat counts for no concurrency limit. */
  rest<T>(wait: () => Promise<T>): Promise<T>;
}

/**
 * Whether a runner is idle: at least one of its tools runs, and all running tools only wait. `tell` is called for each
 * change, in sequence. A tool continues after the change that it caused has been reported.
 */
export class IdleTracking implements Run {
  readonly #tell: (resting: boolean) => Promise<void>;
  #running = 0;
  #waiting = 0;
  #resting = false;
  #told: Promise<void> = Promise.resolve();

  constructor(tell: (resting: boolean) => Promise<void>) {
    this.#tell = tell;
  }

  get resting(): boolean {
    return this.#resting;
  }

  async during<T>(tool: () => Promise<T>): Promise<T> {
    this.#running += 1;
    await this.#changed();
    try {
      return await tool();
    } finally {
      this.#running -= 1;
      await this.#changed();
    }
  }

  async rest<T>(wait: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    try {
      await this.#changed();
      return await wait();
    } finally {
      this.#waiting -= 1;
      await this.#changed();
    }
  }

  #changed(): Promise<void> {
    const resting = this.#running > 0 && this.#running === this.#waiting;
    if (resting !== this.#resting) {
      this.#resting = resting;
      this.#told = this.#told.then(() => this.#tell(resting));
    }
    return this.#told;
  }
}

/** For opening tools without running them. */
export const NO_IDLE_TRACKING: Run = { rest: (wait) => wait() };
