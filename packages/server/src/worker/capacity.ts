import type { RunnableChat } from '../store/queries/runs/capacity.ts';

/** Max concurrent chats of this process, of the deployment and of a user. */
export interface CapacityLimits {
  readonly here: number;
  readonly everywhere: number | null;
  readonly perUser: number | null;
}

/** When users were last served. Higher numbers are later. */
export type Served = ReadonlyMap<string, number>;

export interface CapacityChoice {
  readonly chosen: RunnableChat[];
  /** Chats wait only for capacity of the process or of the deployment. */
  readonly isShort: boolean;
  /** For the next choice: users who still wait. */
  readonly served: Served;
}

/**
 * Chooses which of the runnable chats may run. Free capacity goes to the user with the fewest running chats; among
 * equals, to the user who was served the longest ago, so that users take turns. Interrupting chats come before all
 * others and ignore the limits of the deployment and of the user, since they end immediately.
 */
export function chooseWithin(
  limits: CapacityLimits,
  runnable: readonly RunnableChat[],
  running: ReadonlyMap<string, number>,
  served: Served = new Map(),
): CapacityChoice {
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
  const byOwner = Map.groupBy(rest, (chat) => chat.owner_id);
  const queues = [...byOwner].map(([owner, chats]) => ({
    owner,
    chats,
    served: served.get(owner) ?? 0,
  }));
  let turn = Math.max(0, ...served.values());
  for (;;) {
    const queue = next(queues, counts, limits.perUser);
    const isFull = limits.everywhere !== null && total >= limits.everywhere;
    const chat = isFull || chosen.length >= limits.here ? undefined : queue?.chats.shift();
    if (chat === undefined || queue === undefined) {
      const waiting = queues.filter(({ chats }) => chats.length > 0);
      return {
        chosen,
        isShort: queue !== undefined,
        served: new Map(waiting.map(({ owner, served }) => [owner, served])),
      };
    }
    turn += 1;
    queue.served = turn;
    take(chat);
  }
}

interface Queue {
  readonly owner: string;
  readonly chats: RunnableChat[];
  served: number;
}

/** The queue to serve next. */
function next(
  queues: readonly Queue[],
  counts: ReadonlyMap<string, number>,
  perUser: number | null,
): Queue | undefined {
  let best: Queue | undefined;
  let fewest = perUser ?? Number.POSITIVE_INFINITY;
  for (const queue of queues) {
    if (queue.chats.length === 0) continue;
    const count = counts.get(queue.owner) ?? 0;
    const isEarlier = best !== undefined && count === fewest && queue.served < best.served;
    if (count >= fewest && !isEarlier) continue;
    best = queue;
    fewest = count;
  }
  return best;
}
