import { Cell } from '../../state/cell.ts';

const KEY = 'chatd.diff-layout';

export type DiffLayout = 'unified' | 'split';

/** Stored in the browser. */
export const diffLayout = new Cell<DiffLayout>(
  localStorage.getItem(KEY) === 'split' ? 'split' : 'unified',
);
diffLayout.subscribe(() => localStorage.setItem(KEY, diffLayout.get()));
