import type { StreamedEvent } from '@chatd/client';
import { terminalText } from '../output/terminal-text.ts';

/**
 * What the model says, on a terminal, while it says it. Only whole lines and what is committed are written, so that
 * nothing has to be taken back but what an attempt that failed had said.
 */
export class LiveText {
  readonly #write: (text: string) => void;
  #live = '';
  /** How much of `#live` is on the terminal. */
  #written = 0;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** True: what stands there was said by an attempt that is void. */
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
