/** Time as the loop sees it. Passed in, so that a test moves it by hand. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs once after `ms`; the function that comes back cancels it. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** Waits, or rejects with the signal's reason when that comes first. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (signal?.aborted === true) {
    reject(signal.reason);
    return promise;
  }
  const stop = () => {
    cancel();
    reject(signal?.reason);
  };
  const cancel = clock.after(ms, () => {
    signal?.removeEventListener('abort', stop);
    resolve();
  });
  signal?.addEventListener('abort', stop, { once: true });
  return promise;
}
