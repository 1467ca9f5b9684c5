import { checkFence, type Fence } from '../fence.ts';
import { join, joinsAtTurn, order, without } from '../queue.ts';
import { Refused } from '../refused.ts';
import type { LockedChat } from '../row.ts';
import { BEGIN_TURN, FINISH_TURN } from '../turn.ts';
import type { Writes } from '../writes.ts';

/** Ends the turn, or begins the next one with queued messages under the same runner. */
export function finishTurn(chat: LockedChat, fence: Fence): Writes {
  checkFence(chat, fence);
  if (chat.open_calls.length > 0) {
    throw new Refused('invalid_request', 'A turn cannot end with open tool calls.');
  }
  return endTurn(chat);
}

/** For every turn that did not fail. */
export function endTurn(chat: LockedChat): Writes {
  const joining = joinsAtTurn(chat.queue);
  if (joining.length === 0) {
    return { chat: FINISH_TURN, active: true };
  }
  const joined = join(chat, joining);
  return {
    chat: { ...BEGIN_TURN, open_calls: [], compaction_requested: false, ...joined.chat },
    messages: joined.messages,
    queue: order(without(chat.queue, joining)),
    active: true,
  };
}
