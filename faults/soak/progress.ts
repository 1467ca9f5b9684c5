import type { Disturbed, Sample } from './event-log.ts';
import { idleKinds, LOAD_KINDS } from './counts.ts';

/** Below this, a third of the run is too short for everything to happen in it. */
const LONG_MS = 15 * 60_000;
/** What happens less often in a third of the run may fail to happen by chance. */
const OFTEN = 6;

/** A run without progress in any kind of load proves nothing; nor does one that came to a halt in its last third. */
export function sawNoProgress(
  samples: readonly Sample[],
  disturbances: readonly Disturbed[],
): string[] {
  const last = samples.at(-1);
  if (last === undefined) return ['nothing was seen at all'];
  const never = LOAD_KINDS.filter((kind) => (last.counts[kind] ?? 0) === 0);
  const before = samples.findLast(({ atMs }) => atMs <= (last.atMs * 2) / 3);
  const halted =
    before === undefined || last.atMs < LONG_MS
      ? []
      : idleKinds(before.counts, last.counts).filter(
          (kind) => (before.counts[kind] ?? 0) / 2 >= OFTEN,
        );
  return [
    ...never.map((kind) => `there were no ${kind}`),
    ...halted.map((kind) => `there were no ${kind} in the last third`),
    ...(disturbances.length === 0 ? ['nothing was disturbed'] : []),
  ];
}
