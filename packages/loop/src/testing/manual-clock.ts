import type { Clock } from '@chatd/protocol/clock';

interface Timer {
  at: number;
  run: () => void;
}

/** A clock that a test advances. */
export class ManualClock implements Clock {
  #now: number;
  #timers = new Set<Timer>();
  #watchers: { ms: number; resolve: () => void }[] = [];

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.add(timer);
    this.#watchers = this.#watchers.filter((watcher) => {
      if (watcher.ms !== ms) return true;
      watcher.resolve();
      return false;
    });
    return () => this.#timers.delete(timer);
  }

  /** Delays of the pending timers, shortest first. */
  get pending(): number[] {
    return [...this.#timers].map((timer) => timer.at - this.#now).sort((a, b) => a - b);
  }

  /** Resolves when a timer of exactly `ms` is set. Tests await it instead of sleeping. */
  waiting(ms: number): Promise<void> {
    if (this.pending.includes(ms)) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#watchers.push({ ms, resolve });
    return promise;
  }

  /** Advances the time and runs due timers in order, including timers set meanwhile. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const due = [...this.#timers].filter((t) => t.at <= end).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.run();
    }
    this.#now = end;
  }
}
