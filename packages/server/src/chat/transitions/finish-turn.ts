import { checkFence, type Fence } from '../fence.ts';
import { join, joinsAtTurn, order, without } from '../queue.ts';
import { Refused } from '../refused.ts';
import type { LockedChat } from '../row.ts';
import { BEGIN_TURN, GIVE_UP_RUNNER } from '../turn.ts';
import type { Writes } from '../writes.ts';

/** The chat waits for the user again, or goes on with the next queued message under the same runner. */
export function finishTurn(chat: LockedChat, fence: Fence): Writes {
  checkFence(chat, fence);
  if (chat.open_calls.length > 0) {
    throw new Refused('invalid_request', 'A turn cannot end while tool calls are open.');
  }
  return endTurn(chat);
}

/** What comes after any turn that did not fail. */
export function endTurn(chat: LockedChat): Writes {
  const done = { open_calls: [], compaction_requested: false };
  const joining = joinsAtTurn(chat.queue);
  if (joining.length === 0) {
    return { chat: { ...GIVE_UP_RUNNER, ...done, status: 'waiting' }, active: true };
  }
  const joined = join(chat, joining);
  return {
    chat: { ...BEGIN_TURN, ...done, ...joined.chat },
    messages: joined.messages,
    queue: order(without(chat.queue, joining)),
    active: true,
  };
}
