export interface Delays {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** A histogram of latencies with buckets of 0.1 ms, up to 10 s. */
export class Histogram {
  readonly #counts = new Uint32Array(100_000);
  #total = 0;

  add(ms: number): void {
    const at = Math.min(this.#counts.length - 1, Math.max(0, Math.round(ms * 10)));
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#total += 1;
  }

  summary(): Delays {
    const at = (share: number) => {
      let left = Math.ceil(this.#total * share);
      const index = this.#counts.findIndex((count) => (left -= count) <= 0);
      return index / 10;
    };
    return { count: this.#total, p50: at(0.5), p99: at(0.99), max: at(1) };
  }
}
