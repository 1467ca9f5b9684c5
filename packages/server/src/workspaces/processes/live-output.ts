import type { Clock } from '@chatd/loop';
import { OutputBuffer } from './output-buffer.ts';

const EVERY_MS = 50;
/** At most what a person can see pass by; the result has the beginning and the end anyway. */
const AT_ONCE = { head: 8 * 1024, tail: 8 * 1024 };
const MOST_IN_ALL = 512 * 1024;

/** Shows what a process writes while it runs: soon, and never more than clients can take. */
export class LiveOutput {
  readonly #clock: Clock;
  readonly #publish: (text: string) => void;
  #pending: OutputBuffer | undefined;
  /** Bytes of a character whose rest has not come yet. */
  #open: Uint8Array = new Uint8Array();
  #cancel: (() => void) | undefined;
  #shown = 0;

  constructor(clock: Clock, publish: (text: string) => void) {
    this.#clock = clock;
    this.#publish = publish;
  }

  push(bytes: Uint8Array): void {
    if (this.#shown > MOST_IN_ALL) return;
    if (this.#pending === undefined) {
      this.#pending = new OutputBuffer(AT_ONCE);
      this.#pending.push(this.#open);
      this.#open = new Uint8Array();
    }
    const whole = bytes.length - openLength(bytes);
    this.#pending.push(bytes.subarray(0, whole));
    this.#open = Uint8Array.from(bytes.subarray(whole));
    this.#cancel ??= this.#clock.after(EVERY_MS, () => this.#flush());
  }

  /** What is left, when the process has ended or is no longer waited for. */
  end(): void {
    this.#cancel?.();
    this.#flush();
    this.#shown = Number.POSITIVE_INFINITY;
  }

  #flush(): void {
    const text = this.#pending?.text() ?? '';
    this.#pending = undefined;
    this.#cancel = undefined;
    this.#shown += text.length;
    const isLast = this.#shown > MOST_IN_ALL && text !== '';
    if (text !== '') this.#publish(isLast ? `${text}\n[… more than can be shown …]\n` : text);
  }
}

const MOST_BYTES_OF_A_CHARACTER = 4;

/** How many bytes at the end begin a UTF-8 character and do not finish it. */
function openLength(bytes: Uint8Array): number {
  for (let back = 1; back < MOST_BYTES_OF_A_CHARACTER && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}
