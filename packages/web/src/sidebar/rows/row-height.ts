import type { Row } from './rows.ts';

/** In pixels. Follows the user's text size. Reading it forces a style calculation: once per list. */
export const remSize = (): number =>
  Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
/** Touch targets are larger. */
const coarse = matchMedia('(pointer: coarse)');

/** In pixels. Computed from the row alone, so that the list needs no measuring and does not shift. */
export function rowHeight(row: Row, rem: number): number {
  return heightInRem(row) * rem;
}

function heightInRem(row: Row): number {
  const line = coarse.matches ? 2.75 : 2.125;
  switch (row.kind) {
    case 'chat':
      return (
        line +
        (row.activity === undefined ? 0 : 1) +
        (Object.keys(row.chat.labels).length > 0 ? 1.125 : 0) +
        (row.match === undefined ? 0 : 2.125)
      );
    case 'project':
      return line;
    case 'heading':
      return row.open === undefined ? 2.25 : 2.75;
    case 'end':
    case 'note':
      return 2.5;
  }
}
