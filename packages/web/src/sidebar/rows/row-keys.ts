import type { Row } from './rows.ts';

export type RowKey =
  | { readonly do: 'go'; readonly to: string }
  | { readonly do: 'toggle' | 'rename' | 'delete' | 'menu' }
  | { readonly do: 'move'; readonly by: -1 | 1 };

interface Pressed {
  readonly key: string;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

const PAGE = 10;

/** Rows that can be focused. */
export const focusableRows = (rows: readonly Row[]): readonly Row[] =>
  rows.filter(
    (row) =>
      row.kind === 'chat' ||
      row.kind === 'project' ||
      (row.kind === 'heading' && row.open !== undefined),
  );

export function rowKeyOf(pressed: Pressed, row: Row, rows: readonly Row[]): RowKey | undefined {
  const { key, altKey, shiftKey } = pressed;
  if (pressed.ctrlKey || pressed.metaKey) return undefined;
  if (key === 'ContextMenu' || (shiftKey && key === 'F10')) return { do: 'menu' };
  if (altKey) {
    if (key === 'ArrowUp') return { do: 'move', by: -1 };
    return key === 'ArrowDown' ? { do: 'move', by: 1 } : undefined;
  }
  if (shiftKey) return undefined;
  const all = focusableRows(rows);
  const at = all.findIndex((stop) => stop.key === row.key);
  const go = (index: number): RowKey | undefined => {
    const stop = all[Math.max(0, Math.min(index, all.length - 1))];
    return stop && { do: 'go', to: stop.key };
  };
  switch (key) {
    case 'ArrowDown':
      return go(at + 1);
    case 'ArrowUp':
      return go(at - 1);
    case 'PageDown':
      return go(at + PAGE);
    case 'PageUp':
      return go(at - PAGE);
    case 'Home':
      return go(0);
    case 'End':
      return go(all.length - 1);
    case 'ArrowRight':
      return inwards(row, go, at);
    case 'ArrowLeft':
      return outwards(row, all.slice(0, at));
    case 'F2':
      return row.kind === 'chat' ? { do: 'rename' } : undefined;
    case 'Delete':
      return row.kind === 'chat' ? { do: 'delete' } : undefined;
    default:
      return undefined;
  }
}

/** Expands a collapsed row, then moves to its first child. */
function inwards(row: Row, go: (index: number) => RowKey | undefined, at: number) {
  if (row.kind === 'heading' || row.kind === 'project') {
    return row.open === false ? ({ do: 'toggle' } as const) : go(at + 1);
  }
  if (row.kind !== 'chat' || row.agents === 0) return undefined;
  return row.open ? go(at + 1) : ({ do: 'toggle' } as const);
}

/** Collapses an expanded row, or moves to its parent. */
function outwards(row: Row, above: readonly Row[]): RowKey | undefined {
  if (row.kind === 'heading' || row.kind === 'project') {
    return row.open === true ? { do: 'toggle' } : undefined;
  }
  if (row.kind !== 'chat') return undefined;
  if (row.open) return { do: 'toggle' };
  if (row.depth === 0 && row.section === 'projects') {
    const project = above.findLast((other) => other.kind === 'project');
    return project && { do: 'go', to: project.key };
  }
  const parent = above.findLast((other) => other.kind === 'chat' && other.depth < row.depth);
  return row.depth > 0 && parent !== undefined ? { do: 'go', to: parent.key } : undefined;
}
