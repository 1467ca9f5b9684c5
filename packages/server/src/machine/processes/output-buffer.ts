import { displayText } from './display-text.ts';

export interface OutputCaps {
  readonly head: number;
  readonly tail: number;
}

/** Keeps the beginning and the end of a process's output in constant memory. */
export class OutputBuffer {
  readonly #head: Buffer;
  readonly #tail: Buffer;
  #total = 0;

  constructor({ head, tail }: OutputCaps) {
    this.#head = Buffer.alloc(head);
    this.#tail = Buffer.alloc(tail);
  }

  /** Bytes written so far, including discarded ones. */
  get total(): number {
    return this.#total;
  }

  push(bytes: Uint8Array): void {
    const intoHead = Math.max(0, Math.min(bytes.length, this.#head.length - this.#total));
    if (intoHead > 0) this.#head.set(bytes.subarray(0, intoHead), this.#total);
    // Only the last `size` bytes fit into the ring.
    const rest = bytes.subarray(intoHead);
    if (rest.length === 0) {
      this.#total += bytes.length;
      return;
    }
    const size = this.#tail.length;
    const kept = rest.length > size ? rest.subarray(rest.length - size) : rest;
    const end = this.#total + bytes.length;
    const at = (end - kept.length - this.#head.length) % size;
    const first = kept.subarray(0, size - at);
    this.#tail.set(first, at);
    this.#tail.set(kept.subarray(first.length), 0);
    this.#total = end;
  }

  /** Counts bytes that are not available. At least the size of the tail must follow. */
  skip(bytes: number): void {
    this.#total += bytes;
  }

  /** The output from a position on, with a marker in place of discarded bytes. */
  text(from = 0): string {
    const head = this.#head.subarray(Math.min(from, this.#head.length), this.#headEnd);
    const tailStart = Math.max(this.#tailStart, from);
    const missing = tailStart - Math.max(from, this.#headEnd);
    const tail = this.#tailFrom(tailStart);
    if (missing <= 0) return displayText(Buffer.concat([head, tail]));
    return `${displayText(head)}\n[… ${missing} bytes omitted …]\n${displayText(tail)}`;
  }

  get #headEnd(): number {
    return Math.min(this.#total, this.#head.length);
  }

  /** Position of the first byte in the tail. */
  get #tailStart(): number {
    return Math.max(this.#headEnd, this.#total - this.#tail.length);
  }

  #tailFrom(position: number): Buffer {
    const size = this.#tail.length;
    const length = this.#total - position;
    if (length <= 0) return Buffer.alloc(0);
    const at = (position - this.#head.length) % size;
    const first = this.#tail.subarray(at, Math.min(size, at + length));
    return Buffer.concat([first, this.#tail.subarray(0, length - first.length)]);
  }
}
