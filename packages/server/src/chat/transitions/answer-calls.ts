import { isAwaited, openAfter } from '../open-calls.ts';
import { join, joinsAtStep, order, without } from '../queue.ts';
import type { LockedChat, OpenCall } from '../row.ts';
import type { NewMessage, Writes } from '../writes.ts';

/** Adds results for awaited calls. */
export function answerCalls(chat: LockedChat, answers: readonly NewMessage[]): Writes {
  return continueTurn(chat, openAfter(chat.open_calls, answers), answers);
}

/**
 * The chat keeps waiting while other calls are awaited, else the turn continues. Steering messages join the history once
 * no call is open.
 */
export function continueTurn(
  chat: LockedChat,
  open_calls: readonly OpenCall[],
  answers: readonly NewMessage[],
): Writes {
  const messages = answers.length > 0 ? { messages: answers } : {};
  // Only dynamic tools have a deadline.
  const deadline = open_calls.some((call) => isAwaited(call) && call.kind === 'dynamic')
    ? {}
    : { actionTimeoutMs: null };
  if (open_calls.some(isAwaited)) return { chat: { open_calls }, ...messages, ...deadline };
  const steering = open_calls.length === 0 ? joinsAtStep(chat.queue) : [];
  const joined = join(chat, steering, 'step');
  return {
    chat: { status: 'running', open_calls, ...joined.chat },
    messages: [...answers, ...joined.messages],
    ...(steering.length > 0 && { queue: order(without(chat.queue, steering)) }),
    active: true,
    ...deadline,
  };
}
