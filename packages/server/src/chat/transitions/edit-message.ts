import type { ReasoningEffort } from '@chatd/protocol';
import { Refused } from '../refused.ts';
import type { LockedChat, MessageRow, StoredPart } from '../row.ts';
import { BEGIN_TURN } from '../turn.ts';
import type { HistoryPoint, Writes } from '../writes.ts';

export interface MessageEdit {
  readonly content: readonly StoredPart[];
  readonly model_config_id: string | null;
  readonly reasoning_effort: ReasoningEffort | null;
  readonly created_by: string | null;
  readonly author?: string | null;
}

/**
 * Replaces the message and clears the queue. The message and all later ones stay as a stored version. A running turn
 * becomes obsolete: its fence names the old history.
 */
export function editMessage(
  chat: LockedChat,
  target: Pick<MessageRow, 'id' | 'role' | 'hidden'> | null,
  after: HistoryPoint,
  edit: MessageEdit,
): Writes {
  if (target === null || target.hidden) {
    throw new Refused('not_found', 'Not found.');
  }
  if (target.role !== 'user') {
    throw new Refused('not_a_user_message', 'Only user messages can be edited.');
  }
  const model_config_id = edit.model_config_id ?? chat.model_config_id;
  return {
    chat: {
      ...BEGIN_TURN,
      open_calls: [],
      compaction_requested: false,
      model_config_id,
      ...(edit.reasoning_effort !== null && { reasoning_effort: edit.reasoning_effort }),
    },
    branch: {
      after,
      edit: {
        message_id: target.id,
        message: {
          role: 'user',
          content: edit.content,
          created_by: edit.created_by,
          model_config_id,
          ...(typeof edit.author === 'string' && { meta: { author: edit.author } }),
        },
      },
    },
    ...(chat.queue.length > 0 && { queue: [] }),
    active: true,
    actionTimeoutMs: null,
  };
}
