import { CANCELLED, unanswered } from '../open-calls.ts';
import { findQueued, join, joinsAtStep, order, without } from '../queue.ts';
import type { LockedChat } from '../row.ts';
import { BEGIN_TURN } from '../turn.ts';
import type { Writes } from '../writes.ts';

/** The message is next: a running turn is interrupted for it, a chat that is not running starts with it. */
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
  // What steers was to join with the results that are now cancelled.
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
