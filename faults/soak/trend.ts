import { median } from '../../bench/report/statistics.ts';

/** A value over time. */
export interface Point {
  readonly atMs: number;
  readonly value: number;
}

/** Growth per hour: the Theil-Sen estimator (median of all pairwise slopes), which is robust against outliers. */
export function slopePerHour(points: readonly Point[]): number {
  const slopes: number[] = [];
  for (const [index, from] of points.entries()) {
    for (const to of points.slice(index + 1)) {
      if (to.atMs > from.atMs) slopes.push((to.value - from.value) / (to.atMs - from.atMs));
    }
  }
  return median(slopes) * 3_600_000;
}

/** The minimum of each interval, which excludes short-lived allocations. */
function minima(points: readonly Point[], intervals: number): Point[] {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return [];
  const length = (last.atMs - first.atMs) / intervals;
  return Array.from({ length: intervals }, (_, index) => {
    const from = first.atMs + index * length;
    const within = points.filter(
      ({ atMs }) => atMs >= from && (atMs < from + length || index === intervals - 1),
    );
    const lowest = within.reduce<Point | undefined>(
      (low, point) => (low === undefined || point.value < low.value ? point : low),
      undefined,
    );
    return lowest === undefined ? [] : [lowest];
  }).flat();
}

export interface Bounds {
  /** Maximum growth of the minimum per hour. */
  readonly perHour: number;
  /** Maximum growth per hour, relative to the initial value. */
  readonly share: number;
}

export interface Trend {
  readonly perHour: number;
  readonly from: number;
  readonly to: number;
  readonly leaks: boolean;
}

const INTERVALS = 12;
/** The first third is the warm-up. */
const WARM_UP = 1 / 3;

/**
 * Detects leaks in the last two thirds of a run. A leak grows faster than the bounds, has grown by at least half of the
 * resulting total, and continued to grow in the second half.
 */
export function trend(points: readonly Point[], bounds: Bounds): Trend | undefined {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const from = first.atMs + (last.atMs - first.atMs) * WARM_UP;
  const low = minima(
    points.filter(({ atMs }) => atMs >= from),
    INTERVALS,
  );
  if (low.length < INTERVALS) return undefined;
  const before = median(low.slice(0, 3).map(({ value }) => value));
  const middle = median(low.slice(5, 8).map(({ value }) => value));
  const after = median(low.slice(-3).map(({ value }) => value));
  const perHour = slopePerHour(low);
  const limit = Math.max(bounds.perHour, bounds.share * before);
  const hours = (last.atMs - from) / 3_600_000;
  const grew = after - before;
  const leaks = perHour > limit && grew > (limit * hours) / 2 && after > middle;
  return { perHour, from: before, to: after, leaks };
}
