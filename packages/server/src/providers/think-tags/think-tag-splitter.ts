const OPEN = '<think>';
const CLOSE = '</think>';

export interface TaggedText {
  readonly type: 'text' | 'reasoning';
  readonly text: string;
}

/**
 * Splits a streamed text into the reasoning at its beginning and the answer. Later tags belong to the answer: a model
 * may write about them.
 */
export class ThinkTagSplitter {
  #state: 'start' | 'reasoning' | 'gap' | 'text' = 'start';
  /** Text held back until it is clear what it is. */
  #held = '';

  push(delta: string): TaggedText[] {
    this.#held += delta;
    const pieces: TaggedText[] = [];
    if (this.#state === 'start') this.#begin();
    if (this.#state === 'reasoning') this.#reason(pieces);
    if (this.#state === 'gap') this.#skipGap();
    if (this.#state === 'text') take(pieces, 'text', this.#release(this.#held.length));
    return pieces;
  }

  /** The text still held back at the end. */
  end(): TaggedText[] {
    const pieces: TaggedText[] = [];
    const type = this.#state === 'reasoning' ? 'reasoning' : 'text';
    if (this.#state !== 'gap') take(pieces, type, this.#release(this.#held.length));
    return pieces;
  }

  #begin(): void {
    const text = this.#held.trimStart();
    if (text.startsWith(OPEN)) {
      this.#held = text.slice(OPEN.length);
      this.#state = 'reasoning';
    } else if (!OPEN.startsWith(text)) this.#state = 'text';
  }

  #reason(pieces: TaggedText[]): void {
    const end = this.#held.indexOf(CLOSE);
    if (end === -1) {
      const sure = this.#held.length - endingWith(CLOSE, this.#held);
      take(pieces, 'reasoning', this.#release(sure));
      return;
    }
    take(pieces, 'reasoning', this.#release(end));
    this.#held = this.#held.slice(CLOSE.length);
    this.#state = 'gap';
  }

  #skipGap(): void {
    this.#held = this.#held.trimStart();
    if (this.#held !== '') this.#state = 'text';
  }

  #release(length: number): string {
    const released = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return released;
  }
}

function take(pieces: TaggedText[], type: TaggedText['type'], text: string): void {
  if (text !== '') pieces.push({ type, text });
}

/** How many characters at the end of the text may start the tag. */
function endingWith(tag: string, text: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
