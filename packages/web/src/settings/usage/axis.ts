export interface Bar {
  readonly key: string;
  readonly label: string;
  readonly value: number;
}

export interface ChartProps {
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly textOf: (value: number) => string;
  /** The smallest difference that the text shows. */
  readonly unit: number;
}

const LINES = 4;

/** Round values from 0 to at least `most`, in whole units, with at most five steps. */
export function ticksTo(most: number): number[] {
  const rough = Math.max(1, most / LINES);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step =
    [1, 2, 2.5, 5, 10]
      .map((times) => times * power)
      .find((one) => one >= rough && Number.isInteger(one)) ?? 1;
  return Array.from({ length: Math.max(1, Math.ceil(most / step)) + 1 }, (_, at) => at * step);
}
