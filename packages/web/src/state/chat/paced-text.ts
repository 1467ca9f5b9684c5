import { BlockStream } from '../../markdown/blocks/block-stream.ts';

/** Pending text is revealed over about this many frames: an even flow, 100 ms behind. */
const FRAMES = 7;
/** Minimum characters per frame, so that the end is reached. */
const LEAST = 2;
/** Maximum characters per frame, so that frames stay short after a pause. Faster than any model. */
const MOST = 800;
/** Above this backlog, text is revealed in large steps. */
const FURTHEST = 10_000;
const STEP = 30_000;

/**
 * Text that arrives in bursts and is revealed evenly. Adding or revealing a piece costs the same however long the text
 * is.
 */
export class PacedText {
  readonly stream = new BlockStream();
  readonly #pieces: string[] = [];
  #waiting = '';

  add(piece: string): void {
    this.#pieces.push(piece);
    this.#waiting += piece;
  }

  /** The whole text, revealed or not. */
  text(): string {
    return this.#pieces.join('');
  }

  /** Reveals the text due in this frame. True: more is pending. */
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

  /** The text is complete: reveals the rest. */
  end(): void {
    this.stream.append(this.#waiting);
    this.#waiting = '';
    this.stream.end();
  }
}

/** Does not split a surrogate pair. */
function wholeCharacters(text: string, length: number): number {
  const last = text.charCodeAt(length - 1);
  return last >= 0xd8_00 && last <= 0xdb_ff ? length + 1 : length;
}
