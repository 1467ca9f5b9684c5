import stringWidth from 'string-width';
import type { Format, Style } from '../output/style.ts';

/** Text of one look. Free of control sequences, see `terminalText`. */
export interface Span {
  readonly text: string;
  readonly formats: readonly Format[];
}

export const span = (text: string, ...formats: Format[]): Span => ({ text, formats });

interface Cell {
  readonly text: string;
  readonly width: number;
  readonly formats: readonly Format[];
}

export interface Margins {
  /** Stands before the first line, and takes its width. */
  readonly first?: string;
  /** Stands before all others. */
  readonly rest?: string;
  /** Every character counts, as in code: lines are broken where they are full. */
  readonly verbatim?: true;
}

const TAB = '    ';
const ASCII = /^[\u0020-\u007E]*$/;
const segmenter = new Intl.Segmenter();

/** What a person sees as one character each. */
export function graphemes(text: string): string[] {
  if (ASCII.test(text)) return text.split('');
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

export const widthOf = (text: string): number =>
  ASCII.test(text) ? text.length : stringWidth(text);

/** Lines that fit: broken at spaces, between wide characters, and within words only where nothing else helps. */
export function wrap(
  spans: readonly Span[],
  width: number,
  style: Style,
  { first = '', rest = first, verbatim }: Margins = {},
): string[] {
  const lines: string[] = [];
  const room = () => Math.max(2, width - widthOfStyled(lines.length === 0 ? first : rest));
  const finish = (cells: readonly Cell[]) => {
    lines.push((lines.length === 0 ? first : rest) + painted(trimmed(cells), style));
  };
  let line: Cell[] = [];
  let taken = 0;
  let breakAt = 0;
  const begin = (cells: Cell[]) => {
    line = cells;
    taken = cells.reduce((sum, cell) => sum + cell.width, 0);
    breakAt = 0;
  };
  for (const cell of cellsOf(spans)) {
    if (cell.text === '\n') {
      finish(line);
      begin([]);
      continue;
    }
    if (cell.width > 1) breakAt = line.length;
    if (taken + cell.width > room() && line.length > 0) {
      if (cell.text === ' ' && verbatim !== true) {
        finish(line);
        begin([]);
        continue;
      }
      const at = breakAt > 0 && verbatim !== true ? breakAt : line.length;
      const carried = line.slice(at);
      finish(line.slice(0, at));
      begin(carried);
    }
    line.push(cell);
    taken += cell.width;
    if (cell.text === ' ' || cell.width > 1) breakAt = line.length;
  }
  if (line.length > 0 || lines.length === 0) finish(line);
  return lines;
}

/** Of a text that may have been coloured. */
export const widthOfStyled = (text: string): number => stringWidth(text);

function* cellsOf(spans: readonly Span[]): Generator<Cell> {
  for (const { text, formats } of spans) {
    for (const grapheme of graphemes(text.replaceAll('\t', TAB))) {
      const width = grapheme === '\n' ? 0 : widthOf(grapheme);
      // A zero-width leftover (a lone joiner, a combining mark) would only confuse cursors.
      if (width === 0 && grapheme !== '\n') continue;
      yield { text: grapheme, width, formats };
    }
  }
}

function trimmed(cells: readonly Cell[]): readonly Cell[] {
  let end = cells.length;
  while (end > 0 && cells[end - 1]?.text === ' ') end -= 1;
  return cells.slice(0, end);
}

function painted(cells: readonly Cell[], style: Style): string {
  let line = '';
  let run = '';
  let formats: readonly Format[] = [];
  const flush = () => {
    line += formats.length === 0 ? run : style(formats, run);
    run = '';
  };
  for (const cell of cells) {
    if (cell.formats !== formats) flush();
    formats = cell.formats;
    run += cell.text;
  }
  flush();
  return line;
}
