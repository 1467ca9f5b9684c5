import { Cell } from './cell.ts';

export const pageVisible = new Cell(document.visibilityState === 'visible');

document.addEventListener('visibilitychange', () =>
  pageVisible.set(document.visibilityState === 'visible'),
);
