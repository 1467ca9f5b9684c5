import { stripVTControlCharacters } from 'node:util';
import { truncate } from '../output/table.ts';
import { styledText } from '../output/terminal-text.ts';
import { widthOf } from './wrap.ts';

const ESC = '\u001B';
const CLEAR_LINE_END = `${ESC}[K`;
const CLEAR_BELOW = `${ESC}[J`;
const HIDE_CURSOR = `${ESC}[?25l`;
const SHOW_CURSOR = `${ESC}[?25h`;
const PASTE_ON = `${ESC}[?2004h`;
const PASTE_OFF = `${ESC}[?2004l`;
/** Keeps a row that is too long after a resize on one row. */
const WRAP_OFF = `${ESC}[?7l`;
const WRAP_ON = `${ESC}[?7h`;
/** Synchronized output: terminals without support ignore it. */
const UPDATE_BEGIN = `${ESC}[?2026h`;
const UPDATE_END = `${ESC}[?2026l`;

/** The lines at the bottom of the screen that are redrawn. */
export interface LiveLines {
  readonly lines: readonly string[];
  /** Position of the cursor, relative to the first line. */
  readonly row: number;
  readonly column: number;
}

export interface ScreenOutput {
  write(text: string): void;
  readonly columns: number;
  readonly rows: number;
}

/** Prints lines to the scrollback of the terminal, and redraws the live lines below them. A live line takes one row. */
export class Screen {
  readonly #output: ScreenOutput;
  #drawn: LiveLines = { lines: [], row: 0, column: 0 };
  /** Width of the terminal when they were drawn. */
  #columns: number;

  constructor(output: ScreenOutput) {
    this.#output = output;
    this.#columns = output.columns;
  }

  /** One column stays free: terminals differ in where the cursor is after a full line. */
  get width(): number {
    return Math.max(20, this.#output.columns - 1);
  }

  get height(): number {
    return Math.max(5, this.#output.rows);
  }

  begin(): void {
    this.#output.write(PASTE_ON);
  }

  /** Restores the terminal. Printed lines stay. */
  end(): void {
    this.#output.write(`${this.#toTop()}${CLEAR_BELOW}${PASTE_OFF}${SHOW_CURSOR}`);
    this.#drawn = { lines: [], row: 0, column: 0 };
  }

  /** Keeps the scrollback. */
  clear(): void {
    this.#output.write(`${ESC}[2J${ESC}[H`);
    this.#drawn = { lines: [], row: 0, column: 0 };
  }

  /** Prints lines, and draws the live lines below them. */
  update(printed: readonly string[], live: LiveLines): void {
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
    const toCursor = `${up > 0 ? `${ESC}[${up}A` : ''}\r${shown.column > 0 ? `${ESC}[${shown.column}C` : ''}`;
    this.#output.write(
      `${UPDATE_BEGIN}${HIDE_CURSOR}${this.#toTop()}${finished}${WRAP_OFF}${lines}${WRAP_ON}${CLEAR_BELOW}${toCursor}${SHOW_CURSOR}${UPDATE_END}`,
    );
    this.#drawn = shown;
    this.#columns = this.#output.columns;
  }

  /** Moves to the first live row. After a resize, long rows may have wrapped. */
  #toTop(): string {
    const { lines, row, column } = this.#drawn;
    const { columns } = this.#output;
    const hasWrapped = columns < this.#columns;
    const rowsOf = (line: string) =>
      hasWrapped ? Math.max(1, Math.ceil(widthOf(line) / columns)) : 1;
    const above = lines.slice(0, row).reduce((sum, line) => sum + rowsOf(line), 0);
    const up = above + (hasWrapped ? Math.floor(column / columns) : 0);
    return `${up > 0 ? `${ESC}[${up}A` : ''}\r`;
  }

  /** Limits the lines to the size of the terminal, from the bottom. */
  #fitting({ lines, row, column }: LiveLines): LiveLines {
    const over = Math.max(0, lines.length - this.height);
    return {
      lines: lines
        .slice(over)
        .map((line) =>
          widthOf(line) > this.width ? truncate(stripVTControlCharacters(line), this.width) : line,
        ),
      row: Math.max(0, row - over),
      column: Math.min(column, this.width),
    };
  }
}

const sameAs = (a: LiveLines, b: LiveLines) =>
  a.row === b.row &&
  a.column === b.column &&
  a.lines.length === b.lines.length &&
  a.lines.every((line, index) => line === b.lines[index]);
