/** Time as an argument, so that tests control it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Calls `run` once after `ms`. Returns a function that cancels the timer. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`. Rejects with the signal's reason if the signal is aborted first. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as Error);
    const stop = () => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
  });
}
