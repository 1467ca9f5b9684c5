/** Nearest-rank percentile. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const index = Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1);
  return sorted[index] ?? Number.NaN;
}

/** A distribution. All but the number of values are undefined without values. */
export interface Distribution {
  readonly n: number;
  readonly p50?: number;
  readonly p90?: number;
  readonly p99?: number;
  readonly max?: number;
}

export function distributionOf(values: readonly number[]): Distribution {
  const n = values.length;
  if (n === 0) return { n };
  const at = (percent: number) => Math.round(percentile(values, percent));
  return { n, p50: at(50), p90: at(90), p99: at(99), max: at(100) };
}

/** The largest value, or 0 without values. Unlike `Math.max`, for any number of values. */
export const largest = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), 0);

const ms = (value: number): string => `${Math.round(value).toLocaleString('en')} ms`;

/** Example: `p50 12 ms, p90 30 ms, p99 34 ms, max 36 ms (n = 5)`. */
export const formatDistribution = ({ n, p50, p90, p99, max }: Distribution): string =>
  [
    ...(p50 === undefined ? [] : [`p50 ${ms(p50)}`]),
    ...(p90 === undefined ? [] : [`p90 ${ms(p90)}`]),
    ...(p99 === undefined ? [] : [`p99 ${ms(p99)}`]),
    ...(max === undefined ? [] : [`max ${ms(max)}`]),
  ].join(', ') + ` (n = ${n})`;
