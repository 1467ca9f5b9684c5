import { openAfter } from '../open-calls.ts';
import { join, joinsAtStep, order, without } from '../queue.ts';
import type { LockedChat } from '../row.ts';
import type { NewMessage, Writes } from '../writes.ts';

/**
 * Answers for calls that a client was asked about. When none is open any more the chat goes on, and what
 * steers joins with the answers; else it waits for the rest.
 */
export function answerCalls(chat: LockedChat, answers: readonly NewMessage[]): Writes {
  const open_calls = openAfter(chat.open_calls, answers);
  if (open_calls.length > 0) {
    return { chat: { open_calls }, messages: answers, actionTimeoutMs: null };
  }
  const steering = joinsAtStep(chat.queue);
  const joined = join(chat, steering, 'step');
  return {
    chat: { status: 'running', open_calls, ...joined.chat },
    messages: [...answers, ...joined.messages],
    ...(steering.length > 0 && { queue: order(without(chat.queue, steering)) }),
    active: true,
    actionTimeoutMs: null,
  };
}
