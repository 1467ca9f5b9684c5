import type { ChatError } from '@chatd/protocol';
import { checkFence, type Fence } from '../fence.ts';
import type { ChatRow } from '../row.ts';
import { RELEASE_RUNNER } from '../turn.ts';
import type { Writes } from '../writes.ts';

/** Ends the turn with an error. The queue stays; open calls are answered when the next turn starts. */
export function fail(chat: ChatRow, fence: Fence, error: ChatError): Writes {
  checkFence(chat, fence);
  return {
    chat: {
      ...RELEASE_RUNNER,
      status: 'error',
      last_error: error,
      compaction_requested: false,
    },
    active: true,
  };
}
