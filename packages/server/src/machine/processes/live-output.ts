import type { Clock } from '@chatd/loop';
import { OutputBuffer } from './output-buffer.ts';

const EVERY_MS = 50;
/** Ticks that an unfinished line waits for its end, so that secrets and multi-byte characters are seen whole. */
const MAX_TICKS = 10;
const MAX_OPEN_LINE = 8 * 1024;
/** Limit per tick. The tool result has the beginning and the end anyway. */
const AT_ONCE = { head: 8 * 1024, tail: 8 * 1024 };
const MAX_TOTAL = 512 * 1024;

const NOTHING = new Uint8Array();
const isLineEnd = (byte: number) => byte === 10 || byte === 13;

/** Publishes a process's output while it runs: line by line, with little delay, and in limited amounts. */
export class LiveOutput {
  readonly #clock: Clock;
  readonly #publish: (text: string) => void;
  #pending: OutputBuffer | undefined;
  /** The unfinished last line. */
  #open: Uint8Array = NOTHING;
  #waited = 0;
  #cancel: (() => void) | undefined;
  #shown = 0;

  constructor(clock: Clock, publish: (text: string) => void) {
    this.#clock = clock;
    this.#publish = publish;
  }

  push(bytes: Uint8Array): void {
    if (this.#shown > MAX_TOTAL) return;
    const whole = bytes.findLastIndex(isLineEnd) + 1;
    if (whole > 0) {
      this.#show(this.#open);
      this.#show(bytes.subarray(0, whole));
      this.#open = NOTHING;
    }
    this.#open = Buffer.concat([this.#open, bytes.subarray(whole)]);
    if (this.#open.length > MAX_OPEN_LINE) this.#showOpen();
    this.#cancel ??= this.#clock.after(EVERY_MS, () => this.#tick());
  }

  /** Publishes the rest. Call when the process has ended or moves to the background. */
  end(): void {
    this.#cancel?.();
    this.#showOpen();
    this.#flush();
    this.#shown = Number.POSITIVE_INFINITY;
  }

  #tick(): void {
    this.#cancel = undefined;
    this.#waited = this.#open.length === 0 ? 0 : this.#waited + 1;
    if (this.#waited >= MAX_TICKS) this.#showOpen();
    this.#flush();
    if (this.#open.length > 0) this.#cancel = this.#clock.after(EVERY_MS, () => this.#tick());
  }

  #show(bytes: Uint8Array): void {
    this.#waited = 0;
    this.#pending ??= new OutputBuffer(AT_ONCE);
    this.#pending.push(bytes);
  }

  #showOpen(): void {
    if (this.#open.length > 0) this.#show(this.#open);
    this.#open = NOTHING;
  }

  #flush(): void {
    const text = this.#pending?.text() ?? '';
    this.#pending = undefined;
    this.#shown += text.length;
    const isLast = this.#shown > MAX_TOTAL && text !== '';
    if (text !== '')
      this.#publish(isLast ? `${text}\n[… further output is not shown live …]\n` : text);
  }
}
