import { findQueued, order, without } from '../queue.ts';
import type { LockedChat } from '../row.ts';
import type { Writes } from '../writes.ts';

export function deleteQueued(chat: LockedChat, id: number): Writes {
  return { queue: order(without(chat.queue, [findQueued(chat, id)])) };
}
