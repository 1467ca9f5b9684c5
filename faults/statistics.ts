/** Nearest-rank percentile. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const index = Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1);
  return sorted[index] ?? Number.NaN;
}

export const ms = (value: number): string =>
  Number.isNaN(value) ? '–' : `${Math.round(value).toLocaleString('en')} ms`;

/** Example: `p50 12 ms, p99 34 ms (n = 5)`. */
export const spread = (values: readonly number[]): string =>
  `p50 ${ms(percentile(values, 50))}, p99 ${ms(percentile(values, 99))} (n = ${values.length})`;
