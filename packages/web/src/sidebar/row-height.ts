import type { Row } from './rows.ts';

/** In pixels. Those who read large text set it. Asking for it has the page's styles worked out: once for a whole list. */
export const remSize = (): number =>
  Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
/** Fingers need more room than pointers do. */
const coarse = matchMedia('(pointer: coarse)');

/** In pixels. It follows from the row alone, so that a list needs no measuring, and nothing moves once it is shown. */
export function rowHeight(row: Row | undefined, rem: number): number {
  return heightInRem(row) * rem;
}

function heightInRem(row: Row | undefined): number {
  if (row === undefined) return 0;
  const line = coarse.matches ? 2.75 : 2.125;
  switch (row.kind) {
    case 'chat':
      return Object.keys(row.chat.labels).length > 0 ? line + 1.125 : line;
    case 'heading':
      return row.open === undefined ? 2.25 : 2.75;
    case 'end':
    case 'note':
      return 2.5;
  }
}
