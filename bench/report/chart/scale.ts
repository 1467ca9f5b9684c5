import { formatNumber } from '../markdown.ts';

export interface Scale {
  readonly ticks: readonly number[];
  at(value: number): number;
  label(tick: number): string;
}

const STEPS = [1, 2, 2.5, 5, 10];

/** A linear scale with about `count` round ticks. */
export function linearScale(
  [low, highest]: readonly [number, number],
  [start, end]: readonly [number, number],
  count = 5,
): Scale {
  const high = highest > low ? highest : low + 1;
  const span = high - low;
  const magnitude = 10 ** Math.floor(Math.log10(span / count));
  const step = (STEPS.find((candidate) => candidate * magnitude * count >= span) ?? 10) * magnitude;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  const ticks = Array.from(
    { length: Math.max(1, last - first) + 1 },
    (_, at) => (first + at) * step,
  );
  const [from = 0, to = 1] = [ticks[0], ticks.at(-1)];
  const digits = [0, 1, 2, 3].find((many) => isWhole(step * 10 ** many)) ?? 4;
  return {
    ticks,
    at: (value) => start + ((value - from) / (to - from)) * (end - start),
    label: (tick) => formatNumber(tick, digits),
  };
}

const isWhole = (value: number) => Math.abs(value - Math.round(value)) < 1e-9;
