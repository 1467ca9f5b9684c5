import { type BusyBehavior, QUEUE_LIMIT } from '@chatd/protocol';
import { Refused } from './refused.ts';
import type { LockedChat, QueuedRow } from './row.ts';
import type { ChatPatch, NewMessage, NewQueued, QueueOrder } from './writes.ts';

type Entry = QueuedRow | NewQueued;

const URGENCY: Record<BusyBehavior, number> = { interrupt: 0, steer: 1, queue: 2 };

/** Inserts an entry after all that are at least as urgent. */
export function placed<E extends Entry>(queue: readonly E[], entry: E): E[] {
  const less = queue.findIndex(
    (other) => URGENCY[other.busy_behavior] > URGENCY[entry.busy_behavior],
  );
  return less === -1 ? [...queue, entry] : queue.toSpliced(less, 0, entry);
}

export function order(queue: readonly Entry[]): QueueOrder {
  if (queue.length > QUEUE_LIMIT) {
    throw new Refused(
      'queue_full',
      `The queue of this chat is full (${QUEUE_LIMIT} messages). Wait until the agent has caught up, or delete some.`,
    );
  }
  return queue.map((entry) => ('id' in entry ? entry.id : entry));
}

export function findQueued(chat: LockedChat, id: number): QueuedRow {
  const entry = chat.queue.find((queued) => queued.id === id);
  if (entry === undefined) {
    throw new Refused('not_found', 'Not found.');
  }
  return entry;
}

/** At a step boundary, steering messages join the history. */
export const joinsAtStep = (queue: readonly QueuedRow[]): readonly QueuedRow[] =>
  queue.filter((entry) => entry.busy_behavior === 'steer');

/** At the end of a turn, the urgent messages at the front join together; an ordinary one joins alone. */
export function joinsAtTurn<E extends Entry>(queue: readonly E[]): readonly E[] {
  const ordinary = queue.findIndex((entry) => entry.busy_behavior === 'queue');
  if (ordinary === -1) return queue;
  return queue.slice(0, Math.max(ordinary, 1));
}

export interface Join {
  readonly messages: readonly NewMessage[];
  readonly chat: ChatPatch;
}

/**
 * Queue entries as messages of the history, between two steps of a turn or at its beginning, from where the loop counts
 * steps. The chat takes the model and the effort of the last entry.
 */
export function join(
  chat: LockedChat,
  entries: readonly Entry[],
  boundary: 'step' | 'turn' = 'turn',
): Join {
  const last = entries.at(-1);
  return {
    messages: entries.map((entry) => ({
      role: 'user',
      content: entry.content,
      created_by: entry.created_by,
      model_config_id: entry.model_config_id ?? chat.model_config_id,
      ...('id' in entry && { queued_message_id: entry.id }),
      ...metaOf(entry, boundary),
    })),
    chat: {
      ...(last?.model_config_id && { model_config_id: last.model_config_id }),
      ...(last?.reasoning_effort && { reasoning_effort: last.reasoning_effort }),
    },
  };
}

function metaOf({ author }: Entry, boundary: 'step' | 'turn'): Pick<NewMessage, 'meta'> {
  const meta = {
    ...(boundary === 'step' && { steered: true }),
    ...(typeof author === 'string' && { author }),
  };
  return Object.keys(meta).length === 0 ? {} : { meta };
}

export function without<E extends Entry>(queue: readonly E[], gone: readonly E[]): E[] {
  return queue.filter((entry) => !gone.includes(entry));
}
