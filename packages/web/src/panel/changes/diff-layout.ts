import { Cell } from '../../state/cell.ts';

const KEY = 'chatd.diff-layout';

export type DiffLayout = 'unified' | 'split';

/** Below each other or beside each other; remembered. */
export const diffLayout = new Cell<DiffLayout>(
  localStorage.getItem(KEY) === 'split' ? 'split' : 'unified',
);
diffLayout.subscribe(() => localStorage.setItem(KEY, diffLayout.get()));
