import { isAwaited, openAfter } from '../open-calls.ts';
import { join, joinsAtStep, order, without } from '../queue.ts';
import type { LockedChat, OpenCall } from '../row.ts';
import type { NewMessage, Writes } from '../writes.ts';

/** Answers for calls that somebody was asked about. */
export function answerCalls(chat: LockedChat, answers: readonly NewMessage[]): Writes {
  return goOn(chat, openAfter(chat.open_calls, answers), answers);
}

/**
 * What follows once some of the calls are answered or decided on: the chat waits for whoever else was asked. When nobody
 * is, it goes on; what steers joins the history if no call is open any more, and later if some have yet to run.
 */
export function goOn(
  chat: LockedChat,
  open_calls: readonly OpenCall[],
  answers: readonly NewMessage[],
): Writes {
  const messages = answers.length > 0 ? { messages: answers } : {};
  // Only programs have a deadline.
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
