/** Runs at most `permits` tasks at a time. The others wait in order. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(permits: number) {
    this.#free = permits;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
