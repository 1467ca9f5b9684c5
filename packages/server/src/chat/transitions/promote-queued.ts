import { CANCELLED, unanswered } from '../open-calls.ts';
import { findQueued, join, joinsAtStep, order, without } from '../queue.ts';
import type { LockedChat } from '../row.ts';
import { BEGIN_TURN } from '../turn.ts';
import type { Writes } from '../writes.ts';

/** Makes a queued message the next one: it interrupts a running turn, or starts one. */
export function promoteQueued(chat: LockedChat, id: number, now: Date): Writes {
  const entry = findQueued(chat, id);
  const others = without(chat.queue, [entry]);
  if (chat.status === 'running' || chat.status === 'interrupting') {
    return {
      chat: { status: 'interrupting' },
      queue: order([entry, ...others]),
      queuedContent: { id, content: null, busy_behavior: 'interrupt' },
    };
  }
  // Steering messages were to join with the results that are now canceled.
  const steering = chat.status === 'requires_action' ? joinsAtStep(others) : [];
  const joined = join(chat, [...steering, entry]);
  return {
    chat: { ...BEGIN_TURN, ...joined.chat, open_calls: [] },
    messages: [...unanswered(chat.open_calls, CANCELLED, now), ...joined.messages],
    queue: order(without(others, steering)),
    active: true,
    actionTimeoutMs: null,
  };
}
