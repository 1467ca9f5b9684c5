import type { ChatError } from '@chatd/protocol';
import { checkFence, type Fence } from '../fence.ts';
import type { ChatRow } from '../row.ts';
import { GIVE_UP_RUNNER } from '../turn.ts';
import type { Writes } from '../writes.ts';

/** The turn failed. Its queue is kept; open calls are answered when a message or a request leaves the error. */
export function fail(chat: ChatRow, fence: Fence, error: ChatError): Writes {
  checkFence(chat, fence);
  return {
    chat: {
      ...GIVE_UP_RUNNER,
      status: 'error',
      last_error: error,
      compaction_requested: false,
    },
    active: true,
  };
}
