import { checkFence, type Fence } from '../fence.ts';
import { Refused } from '../refused.ts';
import type { ChatRow } from '../row.ts';
import type { Writes } from '../writes.ts';

/** The next generation for this history. Attempt 0 is its tool phase, generations count from 1. */
export function beginAttempt(chat: ChatRow, fence: Fence, attempt: number): Writes {
  checkFence(chat, fence);
  if (chat.attempt !== attempt - 1) {
    throw new Refused('obsolete', `Attempt ${chat.attempt} is under way, not ${attempt - 1}.`);
  }
  return { attempt, chat: { retry: null, queued_for_capacity: false } };
}
