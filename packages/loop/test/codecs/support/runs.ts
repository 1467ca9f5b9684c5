export interface Runs {
  readonly numRuns: number;
  readonly seed?: number;
}

/** A fixed seed: the same cases in every run. */
export const quick = (numRuns: number): Runs => ({ numRuns, seed: 1 });

/** The seed of the run (`CHATD_TEST_SEED`), or a random one. */
export const long = (numRuns: number): Runs => ({ numRuns });
