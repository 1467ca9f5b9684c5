import type { StreamedEvent } from '@chatd/client';
import { terminalText } from '../output/terminal-text.ts';

/** Writes the text of the model to a terminal as it arrives: complete lines, then the rest when it is committed. */
export class LiveText {
  readonly #write: (text: string) => void;
  #live = '';
  /** Characters of `#live` that are on the terminal. */
  #written = 0;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Returns true if text of a failed attempt was written, and is void now. */
  take(event: StreamedEvent): boolean {
    if (event.type === 'message_part' && event.role === 'assistant' && event.part.type === 'text') {
      this.#live += event.part.text;
      this.#advance(this.#live.lastIndexOf('\n') + 1);
    }
    if (event.type === 'message' && event.message.role === 'assistant') {
      const text = event.message.content
        .flatMap((part) => (part.type === 'text' ? [part.text] : []))
        .join('');
      this.#commit(text);
    }
    if (event.type !== 'preview_reset') return false;
    const isVoid = this.#written > 0;
    this.#live = '';
    this.#written = 0;
    return isVoid;
  }

  #advance(end: number): void {
    if (end <= this.#written) return;
    this.#write(terminalText(this.#live.slice(this.#written, end)));
    this.#written = end;
  }

  #commit(text: string): void {
    if (text === '') return;
    if (!text.startsWith(this.#live.slice(0, this.#written))) this.#written = 0;
    this.#live = text;
    this.#advance(text.length);
    if (!text.endsWith('\n')) this.#write('\n');
    this.#live = '';
    this.#written = 0;
  }
}
