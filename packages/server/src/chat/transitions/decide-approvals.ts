import { isAwaited } from '../open-calls.ts';
import { Refused } from '../refused.ts';
import type { LockedChat, OpenCall } from '../row.ts';
import type { Writes } from '../writes.ts';
import { goOn } from './answer-calls.ts';

export interface Decision {
  readonly tool_call_id: string;
  readonly decision: 'allow' | 'deny';
}

/** The calls on which these decisions are the first: only those count. */
export function decided(chat: LockedChat, decisions: readonly Decision[]): OpenCall[] {
  return chat.open_calls.filter(
    (call) =>
      call.kind === 'approval' &&
      isAwaited(call) &&
      decisions.some(({ tool_call_id }) => tool_call_id === call.tool_call_id),
  );
}

/**
 * A person allows calls, or denies them. Another client of the same person may have been faster with some: those
 * decisions stand. It is refused when none of these counts.
 */
export function decideApprovals(chat: LockedChat, decisions: readonly Decision[]): Writes {
  const counting = decided(chat, decisions);
  if (counting.length === 0) {
    throw new Refused(
      'not_waiting_for_you',
      'None of these calls waits for a decision: another client may have been faster.',
    );
  }
  const first = new Map(decisions.toReversed().map((one) => [one.tool_call_id, one.decision]));
  const open_calls = chat.open_calls.map((call) => {
    const decision = counting.includes(call) ? first.get(call.tool_call_id) : undefined;
    return decision === undefined ? call : { ...call, decision };
  });
  return goOn(chat, open_calls, []);
}
