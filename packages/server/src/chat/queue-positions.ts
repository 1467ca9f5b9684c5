import type { QueuedRow } from './row.ts';
import type { NewQueued, QueueOrder } from './writes.ts';

export interface QueueChanges {
  readonly removed: readonly number[];
  readonly moved: readonly { readonly id: number; readonly position: number }[];
  readonly added: { readonly entry: NewQueued; readonly position: number } | null;
}

/** Turns a new order into the fewest row changes: rows keep their position where they can. */
export function queueChanges(
  before: readonly Pick<QueuedRow, 'id' | 'position'>[],
  order: QueueOrder,
): QueueChanges {
  const positions = new Map(before.map((row) => [row.id, row.position]));
  const moved: { id: number; position: number }[] = [];
  let added: QueueChanges['added'] = null;
  let last = 0;
  for (const entry of order) {
    if (typeof entry !== 'number') {
      last += 1;
      added = { entry, position: last };
      continue;
    }
    const position = positions.get(entry);
    positions.delete(entry);
    if (position !== undefined && position > last) {
      last = position;
    } else {
      last += 1;
      moved.push({ id: entry, position: last });
    }
  }
  return { removed: [...positions.keys()], moved, added };
}
