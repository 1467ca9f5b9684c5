import { Cell } from './cell.ts';

/** Whether somebody can see this page now. */
export const pageVisible = new Cell(document.visibilityState === 'visible');

document.addEventListener('visibilitychange', () =>
  pageVisible.set(document.visibilityState === 'visible'),
);
