import type { EventLog, Sample } from './event-log.ts';
import type { Trends } from './leaks.ts';
import type { SoakRun } from './soak.ts';

/** One line of progress. */
export function sampleLine(sample: Sample, { faults }: EventLog, problems: number): string {
  const { atMs, replicas, database, counts, ownRssMb } = sample;
  const of = (kind: string) => counts[kind] ?? 0;
  const sizes = replicas.map((one) =>
    one === null
      ? 'restarting'
      : `${one.rssMb.toFixed(0)} MB (heap ${one.heapMb.toFixed(0)}, ${one.handles} handles)`,
  );
  return [
    `${(atMs / 60_000).toFixed(1).padStart(5)} min`,
    `${of('turns answered')} turns in ${of('new chats')} chats (${of('chats checked')} checked)`,
    `${faults.length} faults`,
    sizes.join(', '),
    `database ${database.sizeMb.toFixed(0)} MB, ${database.connections} connections`,
    `load generator ${ownRssMb.toFixed(0)} MB`,
    `${problems} problems`,
  ].join(' · ');
}

export function summary(
  { eventLog, counts, problems, problemsFound }: SoakRun,
  trends: Trends,
  leaks: readonly string[],
): string {
  const minutes = (eventLog.samples.at(-1)?.atMs ?? 0) / 60_000;
  const trendLines = Object.entries(trends).map(
    ([name, { perHour, from, to }]) =>
      `  ${name} of the replica without restarts: ${from.toFixed(1)} to ${to.toFixed(1)} (${perHour.toFixed(1)} per hour)`,
  );
  return [
    '',
    `after ${minutes.toFixed(1)} minutes:`,
    ...Object.entries(counts).map(([kind, count]) => `  ${String(count).padStart(8)} ${kind}`),
    ...(trendLines.length === 0 ? ['  too short to detect leaks'] : trendLines),
    ...problems.map((problem) => `FAILED: ${problem}`),
    ...leaks.map((leak) => `LEAK: ${leak}`),
    problemsFound === 0 && leaks.length === 0
      ? 'all checks passed'
      : `${problemsFound} problems, ${leaks.length} leaks`,
  ].join('\n');
}
