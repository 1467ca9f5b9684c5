export interface Runs {
  readonly numRuns: number;
  readonly seed?: number;
}

/** A fixed seed: the same cases in every run. */
export const quick = (numRuns: number): Runs => ({ numRuns, seed: 1 });

/** Uses the seed in `CHATD_TEST_SEED`. Default: a random seed. */
export function long(numRuns: number): Runs {
  const seed = process.env['CHATD_TEST_SEED'];
  return { numRuns, ...(seed !== undefined && { seed: Number(seed) }) };
}
