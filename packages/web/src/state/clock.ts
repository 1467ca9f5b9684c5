/** Time and randomness as arguments, for tests. */
export interface Clock {
  now(): number;
  /** Returns a function that cancels the timer. */
  later(ms: number, run: () => void): () => void;
  random(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  later(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};
