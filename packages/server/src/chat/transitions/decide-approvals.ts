import { isAwaited } from '../open-calls.ts';
import { Refused } from '../refused.ts';
import type { LockedChat, OpenCall } from '../row.ts';
import type { Writes } from '../writes.ts';
import { continueTurn } from './answer-calls.ts';

export interface Decision {
  readonly tool_call_id: string;
  readonly decision: 'allow' | 'deny';
  readonly reason?: string | undefined;
}

/** The calls that these decisions are the first for. Only first decisions count. */
export function decided(chat: LockedChat, decisions: readonly Decision[]): OpenCall[] {
  return chat.open_calls.filter(
    (call) =>
      call.kind === 'approval' &&
      isAwaited(call) &&
      decisions.some(({ tool_call_id }) => tool_call_id === call.tool_call_id),
  );
}

/** The user allows or denies calls. Decisions that another client made first stand; refused if none is left to make. */
export function decideApprovals(chat: LockedChat, decisions: readonly Decision[]): Writes {
  const counting = decided(chat, decisions);
  if (counting.length === 0) {
    throw new Refused(
      'not_waiting_for_you',
      'None of these calls is waiting for a decision. Another client may have decided on them.',
    );
  }
  const first = new Map(decisions.toReversed().map((one) => [one.tool_call_id, one]));
  const open_calls = chat.open_calls.map((call) => {
    const made = counting.includes(call) ? first.get(call.tool_call_id) : undefined;
    if (made === undefined) return call;
    const { decision, reason } = made;
    return { ...call, decision, ...(decision === 'deny' && reason !== undefined && { reason }) };
  });
  return continueTurn(chat, open_calls, []);
}
