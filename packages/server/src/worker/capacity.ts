import type { RunnableChat } from '../store/queries/runnable-chats.ts';

/** How many chats may run at once: in this process, in the whole deployment, of one user. */
export interface CapacityLimits {
  readonly here: number;
  readonly everywhere: number | null;
  readonly perUser: number | null;
}

export interface Choice {
  readonly chosen: RunnableChat[];
  /** Chats wait that only the capacity of the process or of the deployment keeps from running. */
  readonly isShort: boolean;
}

/**
 * Chooses which of the runnable chats may run. Free capacity goes to the user with the fewest running chats; among
 * equals, to the chat that comes first. Interrupting chats come before all others and ignore the limits of the
 * deployment and of the user: they end at once.
 */
export function chooseWithin(
  limits: CapacityLimits,
  runnable: readonly RunnableChat[],
  running: ReadonlyMap<string, number>,
): Choice {
  const counts = new Map(running);
  let total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const chosen: RunnableChat[] = [];
  const take = (chat: RunnableChat) => {
    chosen.push(chat);
    counts.set(chat.owner_id, (counts.get(chat.owner_id) ?? 0) + 1);
    total += 1;
  };
  for (const chat of runnable) {
    if (chat.interrupting && chosen.length < limits.here) take(chat);
  }
  const rest = runnable.filter((chat) => !chat.interrupting);
  const queues = [...Map.groupBy(rest, (chat) => chat.owner_id).values()];
  for (;;) {
    const queue = next(queues, counts, limits.perUser);
    if (queue === undefined) return { chosen, isShort: false };
    const isFull = limits.everywhere !== null && total >= limits.everywhere;
    const [chat] = queue;
    if (isFull || chosen.length >= limits.here || chat === undefined) {
      return { chosen, isShort: true };
    }
    queue.shift();
    take(chat);
  }
}

/** The queue of the user whose turn it is. */
function next(
  queues: readonly RunnableChat[][],
  counts: ReadonlyMap<string, number>,
  perUser: number | null,
): RunnableChat[] | undefined {
  let best: RunnableChat[] | undefined;
  let fewest = perUser ?? Number.POSITIVE_INFINITY;
  for (const queue of queues) {
    const [chat] = queue;
    const count = chat === undefined ? fewest : (counts.get(chat.owner_id) ?? 0);
    if (count >= fewest) continue;
    best = queue;
    fewest = count;
  }
  return best;
}
