/** A key, or typed or pasted text. */
export type KeyEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'paste'; readonly text: string }
  | { readonly type: 'key'; readonly name: KeyName };

export type KeyName =
  | 'enter'
  | 'newline'
  | 'tab'
  | 'back-tab'
  | 'escape'
  | 'backspace'
  | 'delete'
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'page-up'
  | 'page-down'
  | 'word-left'
  | 'word-right'
  | `ctrl-${string}`
  | `alt-${string}`;

const ESC = '\u001B';
const PASTE_BEGIN = `${ESC}[200~`;
const PASTE_END = `${ESC}[201~`;

const SEQUENCES: Readonly<Record<string, KeyName>> = {
  '[A': 'up',
  '[B': 'down',
  '[C': 'right',
  '[D': 'left',
  OA: 'up',
  OB: 'down',
  OC: 'right',
  OD: 'left',
  '[H': 'home',
  '[F': 'end',
  OH: 'home',
  OF: 'end',
  '[1~': 'home',
  '[4~': 'end',
  '[7~': 'home',
  '[8~': 'end',
  '[3~': 'delete',
  '[5~': 'page-up',
  '[6~': 'page-down',
  '[Z': 'back-tab',
  '[1;5C': 'word-right',
  '[1;5D': 'word-left',
  '[1;3C': 'word-right',
  '[1;3D': 'word-left',
  '[13;2u': 'newline',
  '[27;2;13~': 'newline',
};
/** The rest of a sequence after Escape. */
const SEQUENCE = /^(?:\[[0-?]*[ -/]*[@-~]|O[A-Za-z])/;
const UNFINISHED = /^(?:\[[0-?]*[ -/]*|O)?$/;

/** Parses terminal input into keys. A sequence may span chunks. */
export class KeyReader {
  #pending = '';

  read(chunk: string): KeyEvent[] {
    this.#pending += chunk;
    const events: KeyEvent[] = [];
    while (this.#pending !== '') {
      const event = this.#next();
      if (event === undefined) break;
      if (event !== 'ignored') events.push(event);
    }
    return events;
  }

  /** An Escape is pending: a key, or the start of a sequence. */
  get isWaiting(): boolean {
    return this.#pending !== '' && !this.#pending.startsWith(PASTE_BEGIN);
  }

  /** Nothing followed the Escape: it was the key. */
  flush(): KeyEvent[] {
    const pending = this.#pending;
    this.#pending = '';
    return pending === '' ? [] : [{ type: 'key', name: 'escape' }];
  }

  #next(): KeyEvent | 'ignored' | undefined {
    const text = this.#pending;
    if (text.startsWith(PASTE_BEGIN)) {
      const end = text.indexOf(PASTE_END);
      if (end === -1) return undefined;
      this.#pending = text.slice(end + PASTE_END.length);
      return { type: 'paste', text: text.slice(PASTE_BEGIN.length, end) };
    }
    if (text.startsWith(ESC)) return this.#escaped(text);
    const [run] = /^[^\p{Cc}]+/u.exec(text) ?? [];
    if (run !== undefined) {
      this.#pending = text.slice(run.length);
      return { type: 'text', text: run };
    }
    this.#pending = text.slice(1);
    return control(text.charCodeAt(0));
  }

  #escaped(text: string): KeyEvent | 'ignored' | undefined {
    const rest = text.slice(ESC.length);
    const [sequence] = SEQUENCE.exec(rest) ?? [];
    if (sequence !== undefined) {
      this.#pending = rest.slice(sequence.length);
      const name = SEQUENCES[sequence];
      return name === undefined ? 'ignored' : { type: 'key', name };
    }
    if (UNFINISHED.test(rest)) return undefined;
    if (text[1] === ESC) {
      this.#pending = text.slice(1);
      return { type: 'key', name: 'escape' };
    }
    this.#pending = text.slice(2);
    const key = text[1] ?? '';
    if (key === '\r' || key === '\n') return { type: 'key', name: 'newline' };
    if (key === '\u007F') return { type: 'key', name: 'ctrl-w' };
    return { type: 'key', name: `alt-${key.toLowerCase()}` };
  }
}

function control(code: number): KeyEvent {
  if (code === 13) return { type: 'key', name: 'enter' };
  if (code === 10) return { type: 'key', name: 'newline' };
  if (code === 9) return { type: 'key', name: 'tab' };
  if (code === 127 || code === 8) return { type: 'key', name: 'backspace' };
  return { type: 'key', name: `ctrl-${String.fromCharCode(code + 96)}` };
}
