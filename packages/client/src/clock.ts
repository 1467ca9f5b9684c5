/** Time, as an argument. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason as Error);
      const aborted = () => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', aborted);
        resolve();
      }, ms);
      signal?.addEventListener('abort', aborted, { once: true });
    }),
};
