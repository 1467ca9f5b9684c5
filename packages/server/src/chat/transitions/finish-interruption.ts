import { checkFence, type Fence } from '../fence.ts';
import { INTERRUPTED, openAfter, unanswered } from '../open-calls.ts';
import type { LockedChat } from '../row.ts';
import type { Writes } from '../writes.ts';
import type { Step } from './commit-step.ts';
import { endTurn } from './finish-turn.ts';

/** Keeps the partial step, answers open calls as interrupted and ends the turn. */
export function finishInterruption(
  chat: LockedChat,
  fence: Fence,
  partial: Step,
  now: Date,
): Writes {
  checkFence(chat, fence);
  const open = openAfter(chat.open_calls, partial.messages);
  const end = endTurn(chat);
  const rests = end.chat?.status === 'waiting';
  return {
    ...end,
    ...(rests && { chat: { ...end.chat, interrupted: true } }),
    messages: [...partial.messages, ...unanswered(open, INTERRUPTED, now), ...(end.messages ?? [])],
    episode: { ...fence, attempt: partial.attempt },
    ...(partial.call !== undefined && { call: partial.call }),
  };
}
