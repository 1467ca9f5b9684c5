import { checkFence, type Fence } from '../fence.ts';
import { Refused } from '../refused.ts';
import type { ChatRow } from '../row.ts';
import { BEGIN_ATTEMPT } from '../turn.ts';
import type { Writes } from '../writes.ts';

/** The next model call for this history. Attempt 0 is the tool phase; model calls count from 1. */
export function beginAttempt(chat: ChatRow, fence: Fence, attempt: number): Writes {
  checkFence(chat, fence);
  if (chat.attempt !== attempt - 1) {
    throw new Refused('obsolete', `The current attempt is ${chat.attempt}, not ${attempt - 1}.`);
  }
  return { attempt, chat: BEGIN_ATTEMPT };
}
