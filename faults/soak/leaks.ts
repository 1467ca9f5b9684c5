import type { Sample } from './event-log.ts';
import { STABLE_REPLICA } from './fault-injector.ts';
import { type Bounds, type Point, type Trend, trend } from './trend.ts';

/** Metrics of the replica without restarts, and their maximum growth. */
const METRICS = {
  rssMb: { perHour: 60, share: 0.35 },
  heapMb: { perHour: 30, share: 0.35 },
  handles: { perHour: 30, share: 0.5 },
} as const satisfies Record<string, Bounds>;
type Metric = keyof typeof METRICS;

/** In shorter runs, everything grows. */
const MIN_RUN_MS = 20 * 60_000;

export type Trends = Readonly<Partial<Record<Metric, Trend>>>;

/** Empty if the run is too short. */
export function trendsOf(samples: readonly Sample[]): Trends {
  if ((samples.at(-1)?.atMs ?? 0) < MIN_RUN_MS) return {};
  const names = Object.keys(METRICS) as Metric[];
  return Object.fromEntries(
    names.flatMap((name) => {
      const points = samples.flatMap(({ atMs, replicas }): Point[] => {
        const value = replicas[STABLE_REPLICA]?.[name];
        return value === undefined ? [] : [{ atMs, value }];
      });
      const found = trend(points, METRICS[name]);
      return found === undefined ? [] : [[name, found]];
    }),
  );
}

export function leaksIn(trends: Trends): string[] {
  return Object.entries(trends)
    .filter(([, { leaks }]) => leaks)
    .map(
      ([name, { perHour, from, to }]) =>
        `${name} of the replica without restarts grew from ${from.toFixed(1)} to ${to.toFixed(1)} (${perHour.toFixed(1)} per hour)`,
    );
}
