import { ManualClock } from '@chatd/loop/testing';
import type { Clock } from '../../src/index.ts';

/** A clock that stands still until a test moves it. */
export function manualClock(): { readonly clock: Clock; readonly time: ManualClock } {
  const time = new ManualClock();
  const clock: Clock = {
    now: () => time.now(),
    sleep: (ms, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      if (signal?.aborted === true) reject(signal.reason as Error);
      const cancel = time.after(ms, resolve);
      signal?.addEventListener('abort', () => {
        cancel();
        reject(signal.reason as Error);
      });
      return promise;
    },
  };
  return { clock, time };
}

/** A clock on which every wait is over at once, and which remembers them. */
export function hastyClock(): { readonly clock: Clock; readonly waits: number[] } {
  const waits: number[] = [];
  const clock: Clock = {
    now: () => 0,
    // Limits are far away; waits before another try are what is hurried.
    sleep: (ms, signal) => {
      if (ms >= 45_000) return new Promise(() => undefined);
      waits.push(ms);
      return signal?.aborted === true ? Promise.reject(signal.reason as Error) : Promise.resolve();
    },
  };
  return { clock, waits };
}
