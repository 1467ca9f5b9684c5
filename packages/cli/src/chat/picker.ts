import { truncate } from '../output/table.ts';
import type { KeyEvent } from '../terminal/keys.ts';
import { LineEditor } from '../terminal/line-editor.ts';
import type { Page } from '../terminal/markdown.ts';
import { widthOf } from '../terminal/wrap.ts';

export interface Choice<T> {
  readonly value: T;
  readonly label: string;
  readonly note?: string;
}

const ROWS = 10;

/** A list to choose from, filtered by typing. */
export class Picker<T> {
  readonly #title: string;
  readonly #choices: readonly Choice<T>[];
  readonly #filter = new LineEditor();
  #at = 0;

  constructor(title: string, choices: readonly Choice<T>[]) {
    this.#title = title;
    this.#choices = choices;
  }

  /** Undefined: no choice yet. Null: canceled. */
  press(event: KeyEvent): { readonly value: T } | null | undefined {
    if (event.type === 'key') {
      const matching = this.#matching();
      if (event.name === 'escape' || event.name === 'ctrl-c') return null;
      if (event.name === 'enter') {
        const chosen = matching[this.#at];
        return chosen === undefined ? undefined : { value: chosen.value };
      }
      const step = {
        up: -1,
        down: 1,
        'ctrl-p': -1,
        'ctrl-n': 1,
        'page-up': -ROWS,
        'page-down': ROWS,
      };
      const by = step[event.name as keyof typeof step];
      if (by !== undefined) {
        this.#at = Math.max(0, Math.min(matching.length - 1, this.#at + by));
        return undefined;
      }
    }
    if (this.#filter.press(event)) this.#at = 0;
    return undefined;
  }

  lines({ width, style }: Page): { lines: string[]; column: number } {
    const matching = this.#matching();
    const from = Math.max(0, Math.min(this.#at - ROWS + 1, matching.length - ROWS));
    const rows = matching.slice(from, from + ROWS).map(({ label, note }, index) => {
      const chosen = from + index === this.#at;
      const text = truncate(`${chosen ? '❯' : ' '} ${label}`, width);
      const left = width - widthOf(text) - 2;
      const shown = note === undefined || left < 8 ? '' : `  ${style('dim', truncate(note, left))}`;
      return `${chosen ? style('cyan', text) : text}${shown}`;
    });
    const prompt = `${this.#title}: `;
    const none = matching.length === 0 ? [style('dim', '  no matches')] : [];
    return {
      lines: [
        `${style('bold', prompt)}${this.#filter.text}`,
        ...rows,
        ...none,
        style('dim', '↑↓ move · ⏎ select · esc cancel · type to filter'),
      ],
      column: widthOf(prompt) + widthOf(this.#filter.text),
    };
  }

  #matching(): readonly Choice<T>[] {
    const words = this.#filter.text
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    if (words.length === 0) return this.#choices;
    return this.#choices.filter(({ label, note = '' }) => {
      const text = `${label} ${note}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
  }
}
