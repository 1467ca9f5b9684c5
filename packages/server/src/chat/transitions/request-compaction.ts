import { CANCELLED, unanswered } from '../open-calls.ts';
import { Refused } from '../refused.ts';
import type { LockedChat } from '../row.ts';
import { BEGIN_TURN } from '../turn.ts';
import type { Writes } from '../writes.ts';

/** Recorded on the chat; the runner that takes it up summarises the history and ends the turn. */
export function requestCompaction(
  chat: LockedChat,
  facts: { readonly answeredSinceSummary: boolean },
  now: Date,
): Writes {
  if (!facts.answeredSinceSummary) {
    throw new Refused(
      'nothing_to_compact',
      'The agent has said nothing since the last summary: there is nothing to summarise.',
    );
  }
  return {
    chat: { ...BEGIN_TURN, open_calls: [], compaction_requested: true },
    messages: unanswered(chat.open_calls, CANCELLED, now),
    active: true,
  };
}
