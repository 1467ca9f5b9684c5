import { BlockStream } from '../../markdown/blocks/block-stream.ts';

/** What waits is shown over about this many frames: an even flow, a tenth of a second behind. */
const FRAMES = 7;
/** So many characters a frame at least, so that the end is reached … */
const LEAST = 2;
/** … and so many at most, so that a frame stays short after a pause, too: faster than any model speaks. */
const MOST = 800;
/** Further behind than this is not calm but late: then the rest comes in large steps. */
const FURTHEST = 10_000;
const STEP = 30_000;

/**
 * Text that arrives in bursts and is shown evenly. What it costs to add or to show a piece is the cost of the piece, however
 * long the text is already.
 */
export class PacedText {
  readonly stream = new BlockStream();
  readonly #pieces: string[] = [];
  #waiting = '';

  add(piece: string): void {
    this.#pieces.push(piece);
    this.#waiting += piece;
  }

  /** All of it, shown or not. */
  text(): string {
    return this.#pieces.join('');
  }

  /** Shows what is due in this frame; whether something is left for the next. */
  advance(): boolean {
    const { length } = this.#waiting;
    if (length === 0) return false;
    const calm = Math.min(MOST, Math.max(LEAST, Math.ceil(length / FRAMES)));
    const due = Math.max(calm, Math.min(STEP, length - FURTHEST));
    const cut = wholeCharacters(this.#waiting, due);
    this.stream.append(this.#waiting.slice(0, cut));
    this.#waiting = this.#waiting.slice(cut);
    return this.#waiting !== '';
  }

  /** Nothing more comes: what is left is shown. */
  end(): void {
    this.stream.append(this.#waiting);
    this.#waiting = '';
    this.stream.end();
  }
}

/** Half of a character is none. */
function wholeCharacters(text: string, length: number): number {
  const last = text.charCodeAt(length - 1);
  return last >= 0xd8_00 && last <= 0xdb_ff ? length + 1 : length;
}
