import type { BusyBehavior } from '@chatd/protocol';
import { findQueued, order, placed, without } from '../queue.ts';
import type { LockedChat, StoredPart } from '../row.ts';
import type { Writes } from '../writes.ts';

export interface QueuedEdit {
  readonly id: number;
  readonly content: readonly StoredPart[] | null;
  readonly position: number | null;
  readonly busy_behavior: BusyBehavior | null;
  /** Who edits the content, and so becomes its sender. */
  readonly created_by?: string | null;
  readonly author?: string | null;
}

export function editQueued(chat: LockedChat, edit: QueuedEdit): Writes {
  const entry = findQueued(chat, edit.id);
  const changed = { ...entry, busy_behavior: edit.busy_behavior ?? entry.busy_behavior };
  const others = without(chat.queue, [entry]);
  const queue =
    edit.position !== null
      ? others.toSpliced(edit.position, 0, changed)
      : changed.busy_behavior === entry.busy_behavior
        ? chat.queue
        : placed(others, changed);
  return {
    queue: order(queue),
    queuedContent: {
      id: edit.id,
      content: edit.content,
      busy_behavior: changed.busy_behavior,
      created_by: edit.created_by ?? entry.created_by,
      author: edit.author ?? null,
    },
  };
}
