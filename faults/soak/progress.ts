import type { FaultEvent, Sample } from './event-log.ts';
import { idleKinds, LOAD_KINDS } from './counts.ts';

/** In shorter runs, not every kind of load occurs in the last third. */
const LONG_MS = 15 * 60_000;
/** Rarer kinds of load may be absent from a third of the run by chance. */
const FREQUENT = 6;

/** Kinds of load that never occurred, or stopped in the last third. */
export function missingLoad(samples: readonly Sample[], faults: readonly FaultEvent[]): string[] {
  const last = samples.at(-1);
  if (last === undefined) return ['no samples'];
  const never = LOAD_KINDS.filter((kind) => (last.counts[kind] ?? 0) === 0);
  const before = samples.findLast(({ atMs }) => atMs <= (last.atMs * 2) / 3);
  const halted =
    before === undefined || last.atMs < LONG_MS
      ? []
      : idleKinds(before.counts, last.counts).filter(
          (kind) => (before.counts[kind] ?? 0) / 2 >= FREQUENT,
        );
  return [
    ...never.map((kind) => `there were no ${kind}`),
    ...halted.map((kind) => `there were no ${kind} in the last third`),
    ...(faults.length === 0 ? ['no fault was injected'] : []),
  ];
}
