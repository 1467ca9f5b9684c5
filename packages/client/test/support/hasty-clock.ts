import type { Clock } from '../../src/index.ts';

/** A clock that ends every wait immediately, and records the waits. */
export function hastyClock(): { readonly clock: Clock; readonly waits: number[] } {
  const waits: number[] = [];
  const clock: Clock = {
    now: () => 0,
    after: (ms, run) => {
      // Timeouts never expire; only the waits before a retry are shortened.
      if (ms >= 45_000) return () => undefined;
      waits.push(ms);
      queueMicrotask(run);
      return () => undefined;
    },
  };
  return { clock, waits };
}
