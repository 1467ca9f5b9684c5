import { checkFence, type Fence } from '../fence.ts';
import { Refused } from '../refused.ts';
import type { LockedChat } from '../row.ts';
import type { Writes } from '../writes.ts';

/** Records that open calls start, so that a later runner does not run them again. */
export function beginTools(chat: LockedChat, fence: Fence, callIds: readonly string[]): Writes {
  checkFence(chat, fence);
  const unknown = callIds.find(
    (id) => !chat.open_calls.some(({ tool_call_id }) => tool_call_id === id),
  );
  if (unknown !== undefined) {
    throw new Refused('invalid_request', `Tool call ${unknown} is not open.`);
  }
  return {
    chat: {
      open_calls: chat.open_calls.map((call) =>
        callIds.includes(call.tool_call_id) ? { ...call, begun: true } : call,
      ),
    },
  };
}
