import type { Clock } from '@chatd/loop';
import type { Bus, Subscription } from '../bus/bus.ts';
import type { Change } from '../store/change.ts';
import { DatabaseUnavailable } from '../store/unavailable.ts';

/** Polling interval, because hints can be lost. */
export const POLL_MS = 5000;

/** Wakes tool calls that wait for a chat. One subscription serves all of them. */
export class AgentWatch {
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #waking = new Map<string, Set<() => void>>();
  #subscription: Subscription | undefined;
  #offGap: (() => void) | undefined;

  constructor(bus: Bus, clock: Clock) {
    this.#bus = bus;
    this.#clock = clock;
  }

  async start(): Promise<void> {
    this.#subscription = await this.#bus.subscribe('changes', (payload) => {
      // Only the store publishes on this subject.
      for (const wake of this.#waking.get((payload as unknown as Change).id) ?? []) wake();
    });
    this.#offGap = this.#bus.onGap(() => {
      for (const all of this.#waking.values()) for (const wake of all) wake();
    });
  }

  async close(): Promise<void> {
    this.#offGap?.();
    await this.#subscription?.close();
  }

  /**
   * Calls `look` now and after each change to one of the chats, until it returns a value. Undefined: the time limit
   * passed. Rejects with the abort reason of the signal.
   */
  async until<T>(
    ids: readonly string[],
    timeoutMs: number,
    signal: AbortSignal,
    look: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const deadline = this.#clock.now() + timeoutMs;
    for (;;) {
      signal.throwIfAborted();
      // Subscribes before the first look, so that no change is missed.
      const left = deadline - this.#clock.now();
      const change = this.#next(ids, Math.min(POLL_MS, Math.max(left, 0)), signal);
      try {
        const found = await look().catch(unlessAway);
        if (found !== undefined || left <= 0) return found;
        await change.promise;
      } finally {
        change.release();
      }
    }
  }

  #next(
    ids: readonly string[],
    ms: number,
    signal: AbortSignal,
  ): { promise: Promise<void>; release: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.after(ms, resolve);
    const aborted = () => resolve();
    signal.addEventListener('abort', aborted, { once: true });
    for (const id of ids) {
      const all = this.#waking.get(id) ?? new Set();
      this.#waking.set(id, all.add(resolve));
    }
    const release = () => {
      cancel();
      signal.removeEventListener('abort', aborted);
      for (const id of ids) {
        const all = this.#waking.get(id);
        all?.delete(resolve);
        if (all?.size === 0) this.#waking.delete(id);
      }
    };
    return { promise, release };
  }
}

function unlessAway(error: unknown): undefined {
  if (!(error instanceof DatabaseUnavailable)) throw error;
}
