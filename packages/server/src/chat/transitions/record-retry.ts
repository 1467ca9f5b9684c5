import type { Retry } from '@chatd/protocol';
import { checkFence, type Fence } from '../fence.ts';
import type { ChatRow } from '../row.ts';
import type { Writes } from '../writes.ts';

/** An attempt failed and will be retried. Clients see it before the wait begins. */
export function recordRetry(chat: ChatRow, fence: Fence, retry: Retry): Writes {
  checkFence(chat, fence);
  return { chat: { retry } };
}
