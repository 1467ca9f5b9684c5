import type { ReasoningEffort } from '@chatd/protocol';
import { Refused } from '../refused.ts';
import type { LockedChat } from '../row.ts';
import { BEGIN_TURN } from '../turn.ts';
import type { HistoryPoint, Writes } from '../writes.ts';

export interface Regeneration {
  readonly model_config_id: string | null;
  readonly reasoning_effort: ReasoningEffort | null;
}

/**
 * Answers a user message again. All later messages stay as a stored version, and the queue stays. A running turn becomes
 * obsolete: its fence names the old history.
 */
export function regenerate(
  chat: LockedChat,
  question: HistoryPoint | null,
  { model_config_id, reasoning_effort }: Regeneration,
): Writes {
  if (question === null) throw new Refused('not_found', 'Not found.');
  return {
    chat: {
      ...BEGIN_TURN,
      open_calls: [],
      compaction_requested: false,
      ...(model_config_id !== null && { model_config_id }),
      ...(reasoning_effort !== null && { reasoning_effort }),
    },
    branch: { after: question },
    active: true,
    actionTimeoutMs: null,
  };
}
