import stringWidth from 'string-width';
import { oneLine } from './terminal-text.ts';
import type { Style } from './style.ts';

export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => string;
  readonly align?: 'right';
  /** Truncated to the width of the terminal. One per table. */
  readonly flexible?: true;
}

const GAP = '  ';
const MIN_WIDTH = 10;

export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { style, width }: { readonly style: Style; readonly width: number | undefined },
): string {
  const cells = rows.map((row) => columns.map(({ value }) => oneLine(value(row))));
  const widths = columns.map(({ title }, index) =>
    Math.max(stringWidth(title), ...cells.map((line) => stringWidth(line[index] ?? ''))),
  );
  const flexible = columns.findIndex((column) => column.flexible === true);
  if (flexible !== -1 && width !== undefined) {
    const others = widths.reduce((sum, one, index) => sum + (index === flexible ? 0 : one), 0);
    const left = width - others - GAP.length * (columns.length - 1);
    widths[flexible] = Math.max(MIN_WIDTH, Math.min(widths[flexible] ?? 0, left));
  }
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => padded(text, widths[index] ?? 0, columns[index]?.align === 'right'))
      .join(GAP)
      .trimEnd();
  const head = style('dim', line(columns.map(({ title }) => title)));
  return `${[head, ...cells.map(line)].join('\n')}\n`;
}

function padded(text: string, width: number, right: boolean): string {
  const cut = truncate(text, width);
  const space = ' '.repeat(Math.max(0, width - stringWidth(cut)));
  return right ? space + cut : cut + space;
}

/** Truncates to a width in terminal columns, with an ellipsis. */
export function truncate(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let cut = '';
  let taken = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const wide = stringWidth(segment);
    if (taken + wide > width - 1) break;
    cut += segment;
    taken += wide;
  }
  return `${cut}…`;
}
