export interface SearchOptions {
  /** The first count to try. */
  readonly start: number;
  /** The search ends when the interval is at most this share of its lower end. */
  readonly precision: number;
  /** Counts above it are not tried. */
  readonly max: number;
}

/** The largest count that passes: doubles the count until it fails, then bisects. 0 if no count passes. */
export async function largestPassing(
  passes: (count: number) => Promise<boolean>,
  { start, precision, max }: SearchOptions,
): Promise<number> {
  let [low, high] = [0, start];
  while (high <= max && (await passes(high))) [low, high] = [high, high * 2];
  if (high > max) return low;
  while (high - low > Math.max(1, low * precision)) {
    const middle = Math.floor((low + high) / 2);
    if (await passes(middle)) low = middle;
    else high = middle;
  }
  return low;
}
