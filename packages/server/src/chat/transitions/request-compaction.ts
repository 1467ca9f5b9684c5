import { CANCELLED, unanswered } from '../open-calls.ts';
import { Refused } from '../refused.ts';
import type { LockedChat } from '../row.ts';
import { BEGIN_TURN } from '../turn.ts';
import type { Writes } from '../writes.ts';

/** Starts a turn in which the runner summarizes the history. */
export function requestCompaction(
  chat: LockedChat,
  facts: { readonly answeredSinceSummary: boolean },
  now: Date,
): Writes {
  if (!facts.answeredSinceSummary) {
    throw new Refused(
      'nothing_to_compact',
      'Nothing to compact: the agent has not responded since the last summary.',
    );
  }
  return {
    chat: { ...BEGIN_TURN, open_calls: [], compaction_requested: true },
    messages: unanswered(chat.open_calls, CANCELLED, now),
    active: true,
  };
}
