export interface Runs {
  readonly numRuns: number;
  readonly seed?: number;
}

/** Always the same cases. */
export const quick = (numRuns: number): Runs => ({ numRuns, seed: 1 });

/** Other cases each time, or those of `CHATD_TEST_SEED`. */
export function long(numRuns: number): Runs {
  const seed = process.env['CHATD_TEST_SEED'];
  return { numRuns, ...(seed !== undefined && { seed: Number(seed) }) };
}
