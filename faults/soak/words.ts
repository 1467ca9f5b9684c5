import type { EventLog, Sample } from './event-log.ts';
import type { Trends } from './leaks.ts';
import type { Soaked } from './soak.ts';

/** One line for somebody who watches: that it lives, how much was done, and what it weighs. */
export function sampleLine(sample: Sample, { disturbances }: EventLog, problems: number): string {
  const { atMs, replicas, database, counts, ownRssMb } = sample;
  const of = (kind: string) => counts[kind] ?? 0;
  const weights = replicas.map((one) =>
    one === null
      ? 'away'
      : `${one.rssMb.toFixed(0)} MB (heap ${one.heapMb.toFixed(0)}, ${one.handles} handles)`,
  );
  return [
    `${(atMs / 60_000).toFixed(1).padStart(5)} min`,
    `${of('turns answered')} turns in ${of('new chats')} chats (${of('chats judged')} judged)`,
    `${disturbances.length} disturbances`,
    weights.join(', '),
    `database ${database.sizeMb.toFixed(0)} MB, ${database.connections} connections`,
    `load ${ownRssMb.toFixed(0)} MB`,
    `${problems} problems`,
  ].join(' · ');
}

export function summary(
  { eventLog, counts, problems, problemsFound }: Soaked,
  trends: Trends,
  leaks: readonly string[],
): string {
  const minutes = (eventLog.samples.at(-1)?.atMs ?? 0) / 60_000;
  const trendLines = Object.entries(trends).map(
    ([name, { perHour, from, to }]) =>
      `  ${name} of the replica that was never restarted: ${from.toFixed(1)} to ${to.toFixed(1)}, ${perHour.toFixed(1)} an hour`,
  );
  return [
    '',
    `after ${minutes.toFixed(1)} minutes:`,
    ...Object.entries(counts).map(([kind, count]) => `  ${String(count).padStart(8)} ${kind}`),
    ...(trendLines.length === 0 ? ['  too short to say whether anything leaks'] : trendLines),
    ...problems.map((problem) => `DOES NOT HOLD: ${problem}`),
    ...leaks.map((leak) => `LEAKS: ${leak}`),
    problemsFound === 0 && leaks.length === 0
      ? 'everything held'
      : `${problemsFound} problems, ${leaks.length} leaks`,
  ].join('\n');
}
