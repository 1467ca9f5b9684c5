import type { Sample } from './event-log.ts';
import { SPARED } from './disturber.ts';
import { type Bounds, type Point, type Trend, trend } from './leak.ts';

/** What of the replica that is never restarted is looked at, and how much its floor may grow in an hour. */
const WATCHED = {
  rssMb: { perHour: 60, share: 0.35 },
  heapMb: { perHour: 30, share: 0.35 },
  handles: { perHour: 30, share: 0.5 },
} as const satisfies Record<string, Bounds>;
type Watched = keyof typeof WATCHED;

/** In a shorter run everything grows. */
const LONG_ENOUGH_MS = 20 * 60_000;

export type Trends = Readonly<Partial<Record<Watched, Trend>>>;

/** Nothing for a run that is too short to say. */
export function trendsOf(samples: readonly Sample[]): Trends {
  if ((samples.at(-1)?.atMs ?? 0) < LONG_ENOUGH_MS) return {};
  const names = Object.keys(WATCHED) as Watched[];
  return Object.fromEntries(
    names.flatMap((name) => {
      const points = samples.flatMap(({ atMs, replicas }): Point[] => {
        const value = replicas[SPARED]?.[name];
        return value === undefined ? [] : [{ atMs, value }];
      });
      const found = trend(points, WATCHED[name]);
      return found === undefined ? [] : [[name, found]];
    }),
  );
}

export function leaksIn(trends: Trends): string[] {
  return Object.entries(trends)
    .filter(([, { leaks }]) => leaks)
    .map(
      ([name, { perHour, from, to }]) =>
        `${name} of the replica that was never restarted grows by ${perHour.toFixed(1)} an hour (from ${from.toFixed(1)} to ${to.toFixed(1)})`,
    );
}
