import { terminalText } from '../output/terminal-text.ts';
import type { KeyEvent } from './keys.ts';
import { graphemes, widthOf } from './wrap.ts';

/** A multi-line editor with a history. Edits by grapheme. */
export class LineEditor {
  #cells: string[] = [];
  #cursor = 0;
  #killed: string[] = [];
  readonly #history: string[] = [];
  /** Position in the history; its length stands for the draft. */
  #position = 0;
  #draft = '';

  get text(): string {
    return this.#cells.join('');
  }

  get isEmpty(): boolean {
    return this.#cells.length === 0;
  }

  set(text: string): void {
    this.#cells = graphemes(text);
    this.#cursor = this.#cells.length;
  }

  /** Returns the text, adds it to the history and clears the editor. */
  take(): string {
    const { text } = this;
    if (text.trim() !== '' && this.#history.at(-1) !== text) this.#history.push(text);
    this.#position = this.#history.length;
    this.#draft = '';
    this.set('');
    return text;
  }

  /** Returns false if the key does not edit. */
  press(event: KeyEvent): boolean {
    if (event.type !== 'key') {
      this.#insert(terminalText(event.text));
      return true;
    }
    const edit = EDITS[event.name];
    if (edit === undefined) return false;
    edit(this);
    return true;
  }

  /** The rows on the screen, and the position of the cursor. */
  layout(width: number): { rows: string[]; row: number; column: number } {
    const rows = [''];
    let taken = 0;
    let at = { row: 0, column: 0 };
    for (const [index, cell] of this.#cells.entries()) {
      const wide = cell === '\n' ? 0 : widthOf(cell === '\t' ? ' ' : cell);
      if (cell !== '\n' && taken + wide > width) {
        rows.push('');
        taken = 0;
      }
      if (index === this.#cursor) at = { row: rows.length - 1, column: taken };
      if (cell === '\n') {
        rows.push('');
        taken = 0;
      } else {
        rows[rows.length - 1] += cell === '\t' ? ' ' : cell;
        taken += wide;
      }
    }
    if (this.#cursor === this.#cells.length) {
      if (taken >= width) {
        rows.push('');
        taken = 0;
      }
      at = { row: rows.length - 1, column: taken };
    }
    return { rows, ...at };
  }

  #insert(text: string): void {
    const before = this.#cells.slice(0, this.#cursor).join('') + text;
    const after = this.#cells.slice(this.#cursor).join('');
    // A combining mark joins the grapheme before it, so the whole text is segmented again.
    this.#cells = graphemes(before + after);
    this.#cursor = graphemes(before).length;
  }

  #remove(from: number, to: number, keep = false): void {
    const start = Math.max(0, from);
    const removed = this.#cells.splice(start, to - start);
    if (keep) this.#killed = removed;
    this.#cursor = start;
  }

  #lineStart(): number {
    return this.#cells.lastIndexOf('\n', this.#cursor - 1) + 1;
  }

  #lineEnd(): number {
    const at = this.#cells.indexOf('\n', this.#cursor);
    return at === -1 ? this.#cells.length : at;
  }

  #wordLeft(): number {
    let at = this.#cursor;
    while (at > 0 && isSpace(this.#cells[at - 1])) at -= 1;
    while (at > 0 && !isSpace(this.#cells[at - 1])) at -= 1;
    return at;
  }

  #wordRight(): number {
    let at = this.#cursor;
    while (at < this.#cells.length && isSpace(this.#cells[at])) at += 1;
    while (at < this.#cells.length && !isSpace(this.#cells[at])) at += 1;
    return at;
  }

  /** Moves to the same column of the next line; beyond the first or last line, through the history. */
  #vertical(step: -1 | 1): void {
    const start = this.#lineStart();
    const column = this.#cursor - start;
    if (step === -1 ? start === 0 : this.#lineEnd() === this.#cells.length) {
      return this.#recall(step);
    }
    this.#cursor = step === -1 ? start - 1 : this.#lineEnd() + 1;
    const from = this.#lineStart();
    this.#cursor = from;
    this.#cursor = Math.min(from + column, this.#lineEnd());
  }

  #recall(step: -1 | 1): void {
    const position = this.#position + step;
    if (position < 0 || position > this.#history.length) return;
    if (this.#position === this.#history.length) this.#draft = this.text;
    this.#position = position;
    this.set(position === this.#history.length ? this.#draft : (this.#history[position] ?? ''));
  }

  static readonly edits: Readonly<Record<string, (editor: LineEditor) => void>> = {
    newline: (editor) => editor.#insert('\n'),
    left: (editor) => (editor.#cursor = Math.max(0, editor.#cursor - 1)),
    right: (editor) => (editor.#cursor = Math.min(editor.#cells.length, editor.#cursor + 1)),
    up: (editor) => editor.#vertical(-1),
    down: (editor) => editor.#vertical(1),
    home: (editor) => (editor.#cursor = editor.#lineStart()),
    end: (editor) => (editor.#cursor = editor.#lineEnd()),
    'word-left': (editor) => (editor.#cursor = editor.#wordLeft()),
    'word-right': (editor) => (editor.#cursor = editor.#wordRight()),
    backspace: (editor) => editor.#remove(editor.#cursor - 1, editor.#cursor),
    delete: (editor) => editor.#remove(editor.#cursor, editor.#cursor + 1),
    'ctrl-u': (editor) => editor.#remove(editor.#lineStart(), editor.#cursor, true),
    'ctrl-k': (editor) => editor.#remove(editor.#cursor, editor.#lineEnd(), true),
    'ctrl-w': (editor) => editor.#remove(editor.#wordLeft(), editor.#cursor, true),
    'ctrl-y': (editor) => editor.#insert(editor.#killed.join('')),
  };
}

const isSpace = (cell: string | undefined) => cell !== undefined && /^\s$/.test(cell);

const ALIASES = {
  'ctrl-a': 'home',
  'ctrl-e': 'end',
  'ctrl-b': 'left',
  'ctrl-f': 'right',
  'ctrl-p': 'up',
  'ctrl-n': 'down',
  'ctrl-h': 'backspace',
  'alt-b': 'word-left',
  'alt-f': 'word-right',
} as const;

const EDITS: Readonly<Record<string, (editor: LineEditor) => void>> = {
  ...LineEditor.edits,
  ...Object.fromEntries(
    Object.entries(ALIASES).flatMap(([alias, name]) => {
      const edit = LineEditor.edits[name];
      return edit === undefined ? [] : [[alias, edit]];
    }),
  ),
};
