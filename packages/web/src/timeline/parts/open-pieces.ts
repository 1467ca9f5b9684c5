import { Cell } from '../../state/cell.ts';

/** What somebody has unfolded stays so when it is scrolled away and back. */
const unfolded = new Cell<ReadonlySet<string>>(new Set());

export const unfoldedPieces = unfolded as Pick<typeof unfolded, 'get' | 'subscribe'>;

export function toggleFold(key: string): void {
  unfolded.update((keys) => {
    const next = new Set(keys);
    if (!next.delete(key)) next.add(key);
    return next;
  });
}
