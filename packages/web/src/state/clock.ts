/** Time and chance as arguments, so that tests decide about them. */
export interface Clock {
  now(): number;
  /** Answers a function that forgets it. */
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
