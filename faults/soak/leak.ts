import { median } from '../../bench/report/statistics.ts';

/** A value over time. */
export interface Point {
  readonly atMs: number;
  readonly value: number;
}

/** Growth in an hour: the median of the slopes between all pairs, which single peaks do not move (Theil and Sen). */
export function slopePerHour(points: readonly Point[]): number {
  const slopes: number[] = [];
  for (const [index, from] of points.entries()) {
    for (const to of points.slice(index + 1)) {
      if (to.atMs > from.atMs) slopes.push((to.value - from.value) / (to.atMs - from.atMs));
    }
  }
  return median(slopes) * 3_600_000;
}

/** The least value in each of so many spans of equal length: what is left when nothing is on its way. */
function floors(points: readonly Point[], spans: number): Point[] {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return [];
  const length = (last.atMs - first.atMs) / spans;
  return Array.from({ length: spans }, (_, index) => {
    const from = first.atMs + index * length;
    const within = points.filter(
      ({ atMs }) => atMs >= from && (atMs < from + length || index === spans - 1),
    );
    const lowest = within.reduce<Point | undefined>(
      (low, point) => (low === undefined || point.value < low.value ? point : low),
      undefined,
    );
    return lowest === undefined ? [] : [lowest];
  }).flat();
}

export interface Bounds {
  /** Growth of the floor in an hour that is no cause for concern. */
  readonly perHour: number;
  /** The same as a part of what there was. */
  readonly share: number;
}

export interface Trend {
  readonly perHour: number;
  readonly from: number;
  readonly to: number;
  readonly leaks: boolean;
}

const SPANS = 12;
/** The first third is for caches to fill and for code to be compiled. */
const SETTLED = 1 / 3;

/**
 * Whether something grows that should not. A clear leak alone is called one: over the last two thirds its floor grows by
 * more than the bounds in an hour, it has really grown by its share of that, and it still grew in the last half.
 */
export function trend(points: readonly Point[], bounds: Bounds): Trend | undefined {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const from = first.atMs + (last.atMs - first.atMs) * SETTLED;
  const low = floors(
    points.filter(({ atMs }) => atMs >= from),
    SPANS,
  );
  if (low.length < SPANS) return undefined;
  const before = median(low.slice(0, 3).map(({ value }) => value));
  const middle = median(low.slice(5, 8).map(({ value }) => value));
  const after = median(low.slice(-3).map(({ value }) => value));
  const perHour = slopePerHour(low);
  const most = Math.max(bounds.perHour, bounds.share * before);
  const hours = (last.atMs - from) / 3_600_000;
  const grew = after - before;
  const leaks = perHour > most && grew > (most * hours) / 2 && after > middle;
  return { perHour, from: before, to: after, leaks };
}
