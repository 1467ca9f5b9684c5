import type { TreeRow } from './tree.tsx';

/** The effect of a key: another row, or an action on this one. */
export function keyMove(
  key: string,
  rows: readonly Pick<TreeRow, 'level' | 'expanded'>[],
  at: number,
): number | 'toggle' | 'open' | undefined {
  const row = rows[at];
  switch (key) {
    case 'ArrowDown':
      return at + 1;
    case 'ArrowUp':
      return at - 1;
    case 'Home':
      return 0;
    case 'End':
      return rows.length - 1;
    case 'Enter':
    case ' ':
      return 'open';
    case 'ArrowRight':
      if (row?.expanded === undefined) return undefined;
      return row.expanded ? at + 1 : 'toggle';
    case 'ArrowLeft':
      if (row?.expanded === true) return 'toggle';
      return rows.slice(0, at).findLastIndex(({ level }) => level < (row?.level ?? 0));
    default:
      return undefined;
  }
}
