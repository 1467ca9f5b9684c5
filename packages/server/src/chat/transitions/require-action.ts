import type { ActionKind } from '@chatd/protocol';
import { checkFence, type Fence } from '../fence.ts';
import { Refused } from '../refused.ts';
import type { LockedChat } from '../row.ts';
import { RELEASE_RUNNER } from '../turn.ts';
import type { Writes } from '../writes.ts';

/** By call id, who has to answer. */
export type Awaited = Readonly<Record<string, ActionKind>>;

/** Dynamic tools have a deadline unless the timeout is null. Approvals and questions never expire. */
export function requireAction(
  chat: LockedChat,
  fence: Fence,
  awaited: Awaited,
  dynamicTimeoutMs: number | null,
): Writes {
  checkFence(chat, fence);
  const open_calls = chat.open_calls.map((call) => {
    const kind = awaited[call.tool_call_id];
    if (kind === undefined) {
      throw new Refused(
        'invalid_request',
        `Tool call ${call.tool_call_id} is open and waits for no client.`,
      );
    }
    // A call that is asked for again has no decision.
    const { decision: _, reason: __, ...asked } = call;
    return { ...asked, kind };
  });
  if (open_calls.length === 0 || open_calls.length !== Object.keys(awaited).length) {
    throw new Refused('invalid_request', 'The awaited calls are not the open calls.');
  }
  const dynamic = open_calls.some((call) => call.kind === 'dynamic');
  return {
    chat: { ...RELEASE_RUNNER, status: 'requires_action', open_calls },
    active: true,
    actionTimeoutMs: dynamic ? dynamicTimeoutMs : null,
  };
}
