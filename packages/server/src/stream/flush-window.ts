import { performance } from 'node:perf_hooks';

export interface FlushWindowOptions {
  /** The window of an event loop that is always busy. */
  readonly longestMs: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
  /** The busy share of the event loop since the last call, from 0 to 1. */
  readonly utilization?: () => number;
}

const SAMPLE_MS = 100;
/** Below this utilization, nothing waits. Above the second, the window is the longest. */
const IDLE = 0.3;
const BUSY = 0.9;
/** The window shrinks slowly, because merging itself reduces the load. */
const DECAY = 0.9;

/**
 * How long live parts of a chat wait for others that are sent with them. An idle process sends each one at once; under
 * load, fewer and larger events cost less.
 */
export class FlushWindow {
  readonly #longestMs: number;
  readonly #now: () => number;
  readonly #utilization: () => number;
  #sampledAt = Number.NEGATIVE_INFINITY;
  #load = 0;

  constructor(options: FlushWindowOptions) {
    this.#longestMs = options.longestMs;
    this.#now = options.now ?? (() => performance.now());
    this.#utilization = options.utilization ?? eventLoopUtilization();
  }

  get ms(): number {
    if (this.#longestMs === 0) return 0;
    const now = this.#now();
    if (now - this.#sampledAt >= SAMPLE_MS) {
      this.#sampledAt = now;
      this.#load = Math.max(this.#utilization(), this.#load * DECAY);
    }
    const share = (this.#load - IDLE) / (BUSY - IDLE);
    return this.#longestMs * Math.min(1, Math.max(0, share));
  }
}

function eventLoopUtilization(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
