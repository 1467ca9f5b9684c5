import type { BusyBehavior } from '@chatd/protocol';
import type { CommandName } from '../moves.ts';
import { CANCELLED, unanswered } from '../open-calls.ts';
import { join, joinsAtStep, joinsAtTurn, order, placed, without } from '../queue.ts';
import type { LockedChat } from '../row.ts';
import { BEGIN_TURN } from '../turn.ts';
import type { NewQueued, Writes } from '../writes.ts';

export const SEND_COMMAND = {
  queue: 'send_queue',
  steer: 'send_steer',
  interrupt: 'send_interrupt',
} as const satisfies Record<BusyBehavior, CommandName>;

export function send(chat: LockedChat, message: NewQueued, now: Date): Writes {
  switch (chat.status) {
    case 'waiting':
    case 'error':
      return sendToIdle(chat, message, now);
    case 'requires_action':
      if (message.busy_behavior === 'interrupt') return sendInsteadOfResults(chat, message, now);
      return { queue: order(placed(chat.queue, message)) };
    case 'running':
    case 'interrupting':
      return {
        queue: order(placed(chat.queue, message)),
        ...(message.busy_behavior === 'interrupt' && { chat: { status: 'interrupting' } }),
      };
  }
}

/** The backlog of a failed turn goes first. In an idle chat `busy_behavior` has no effect. */
function sendToIdle(chat: LockedChat, message: NewQueued, now: Date): Writes {
  const queue = [...chat.queue, { ...message, busy_behavior: 'queue' as const }];
  const joining = joinsAtTurn(queue);
  const joined = join(chat, joining);
  return {
    chat: { ...BEGIN_TURN, ...joined.chat, open_calls: [] },
    messages: [...unanswered(chat.open_calls, CANCELLED, now), ...joined.messages],
    ...(chat.queue.length > 0 && { queue: order(without(queue, joining)) }),
    active: true,
  };
}

function sendInsteadOfResults(chat: LockedChat, message: NewQueued, now: Date): Writes {
  const steering = joinsAtStep(chat.queue);
  const joined = join(chat, [...steering, message]);
  return {
    chat: { ...BEGIN_TURN, ...joined.chat, open_calls: [] },
    messages: [...unanswered(chat.open_calls, CANCELLED, now), ...joined.messages],
    ...(steering.length > 0 && { queue: order(without(chat.queue, steering)) }),
    active: true,
    actionTimeoutMs: null,
  };
}
