import { stripVTControlCharacters } from 'node:util';
import { cutTo } from '../output/table.ts';
import { styledText } from '../output/terminal-text.ts';
import { widthOfStyled } from './wrap.ts';

const ESC = '\u001B';
const CLEAR_LINE_END = `${ESC}[K`;
const CLEAR_BELOW = `${ESC}[J`;
const HIDE_CURSOR = `${ESC}[?25l`;
const SHOW_CURSOR = `${ESC}[?25h`;
const PASTE_ON = `${ESC}[?2004h`;
const PASTE_OFF = `${ESC}[?2004l`;
/** A row that is too long for a terminal that has just become narrower is cut, and stays one row. */
const WRAP_OFF = `${ESC}[?7l`;
const WRAP_ON = `${ESC}[?7h`;
/** Terminals that know it show the whole of an update at once; others ignore it. */
const UPDATE_BEGIN = `${ESC}[?2026h`;
const UPDATE_END = `${ESC}[?2026l`;

export interface Live {
  readonly lines: readonly string[];
  /** Where the cursor is, from the first of the lines. */
  readonly row: number;
  readonly column: number;
}

export interface ScreenOutput {
  write(text: string): void;
  readonly columns: number;
  readonly rows: number;
}

/**
 * The end of the normal screen: what is printed goes up into the terminal's own scrollback and stays there; only the
 * lines at the bottom are drawn again. Each of them takes one row.
 */
export class Screen {
  readonly #output: ScreenOutput;
  #drawn: Live = { lines: [], row: 0, column: 0 };
  /** How wide the terminal was when they were drawn. */
  #columns: number;

  constructor(output: ScreenOutput) {
    this.#output = output;
    this.#columns = output.columns;
  }

  /** One column is left free: a full line would leave the cursor on the edge, where terminals differ. */
  get width(): number {
    return Math.max(20, this.#output.columns - 1);
  }

  get height(): number {
    return Math.max(5, this.#output.rows);
  }

  begin(): void {
    this.#output.write(PASTE_ON);
  }

  /** Leaves the terminal as it was found, with what was printed. */
  end(): void {
    this.#output.write(`${this.#toTop()}${CLEAR_BELOW}${PASTE_OFF}${SHOW_CURSOR}`);
    this.#drawn = { lines: [], row: 0, column: 0 };
  }

  /** Scrollback is kept. */
  clear(): void {
    this.#output.write(`${ESC}[2J${ESC}[H`);
    this.#drawn = { lines: [], row: 0, column: 0 };
  }

  /** Prints lines for good, and draws the live ones below them. */
  update(printed: readonly string[], live: Live): void {
    const shown = this.#fitting(live);
    if (
      printed.length === 0 &&
      sameAs(shown, this.#drawn) &&
      this.#columns === this.#output.columns
    ) {
      return;
    }
    const finished = printed.map((line) => `${styledText(line)}${CLEAR_LINE_END}\r\n`).join('');
    const lines = shown.lines.map((line) => `${styledText(line)}${CLEAR_LINE_END}`).join('\r\n');
    const up = shown.lines.length - 1 - shown.row;
    const place = `${up > 0 ? `${ESC}[${up}A` : ''}\r${shown.column > 0 ? `${ESC}[${shown.column}C` : ''}`;
    this.#output.write(
      `${UPDATE_BEGIN}${HIDE_CURSOR}${this.#toTop()}${finished}${WRAP_OFF}${lines}${WRAP_ON}${CLEAR_BELOW}${place}${SHOW_CURSOR}${UPDATE_END}`,
    );
    this.#drawn = shown;
    this.#columns = this.#output.columns;
  }

  /** Up to the first live row. A terminal that became narrower has broken the rows that are too long now. */
  #toTop(): string {
    const { lines, row, column } = this.#drawn;
    const { columns } = this.#output;
    const broken = columns < this.#columns;
    const rowsOf = (line: string) =>
      broken ? Math.max(1, Math.ceil(widthOfStyled(line) / columns)) : 1;
    const above = lines.slice(0, row).reduce((sum, line) => sum + rowsOf(line), 0);
    const up = above + (broken ? Math.floor(column / columns) : 0);
    return `${up > 0 ? `${ESC}[${up}A` : ''}\r`;
  }

  /** No more than the terminal has rows, from the bottom; no line longer than a row. */
  #fitting({ lines, row, column }: Live): Live {
    const over = Math.max(0, lines.length - this.height);
    return {
      lines: lines
        .slice(over)
        .map((line) =>
          widthOfStyled(line) > this.width
            ? cutTo(stripVTControlCharacters(line), this.width)
            : line,
        ),
      row: Math.max(0, row - over),
      column: Math.min(column, this.width),
    };
  }
}

const sameAs = (a: Live, b: Live) =>
  a.row === b.row &&
  a.column === b.column &&
  a.lines.length === b.lines.length &&
  a.lines.every((line, index) => line === b.lines[index]);
