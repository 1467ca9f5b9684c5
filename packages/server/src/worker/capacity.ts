import type { RunnableChat } from '../store/queries/runnable-chats.ts';

/** How many chats may run at once: in this process, in the whole deployment, of one user. */
export interface CapacityLimits {
  readonly here: number;
  readonly everywhere: number | null;
  readonly perUser: number | null;
}

/**
 * Of the chats that should run, in order, those that may. A chat that is only to be stopped always may: it gives
 * its place back at once.
 */
export function chooseWithin(
  limits: CapacityLimits,
  runnable: readonly RunnableChat[],
  running: ReadonlyMap<string, number>,
): RunnableChat[] {
  const counts = new Map(running);
  let total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  let here = 0;
  return runnable.filter((chat) => {
    if (here >= limits.here) return false;
    const own = counts.get(chat.owner_id) ?? 0;
    const full =
      (limits.everywhere !== null && total >= limits.everywhere) ||
      (limits.perUser !== null && own >= limits.perUser);
    if (full && !chat.interrupting) return false;
    counts.set(chat.owner_id, own + 1);
    total += 1;
    here += 1;
    return true;
  });
}
