import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { displayText } from '../processes/display-text.ts';

/** Output up to this size stays in memory. */
const MEMORY_BYTES = 16 * 1024;
/** Of longer output, the file has the beginning and the end. */
const HEAD_BYTES = 8 * 1024 * 1024;
const TAIL_BYTES = 8 * 1024 * 1024;
/** If newer output replaces what is being read, reading goes on this much later. */
const SKIPPED_BYTES = 1024 * 1024;
/** What `text` shows. */
const HEAD_SHOWN = 32 * 1024;
const TAIL_SHOWN = 64 * 1024;
const MAX_TAIL_READS = 20;

export interface OutputChunk {
  /** Position of the first byte. After the requested one if the output has a gap. */
  readonly at: number;
  readonly bytes: Buffer;
}

export type OutputListener = (bytes: Uint8Array, at: number) => void;

/**
 * The output of a command. Bytes are numbered. Short output is in memory, long output in a file that keeps the
 * beginning and the end.
 */
export class OutputFile {
  readonly #path: string;
  readonly #listeners = new Set<OutputListener>();
  /** All output, until it is too long for memory. */
  #memory: Buffer[] | undefined = [];
  #file: Promise<FileHandle> | undefined;
  #handle: FileHandle | undefined;
  #pending: OutputChunk[] = [];
  /** The piece that is being written. */
  #current: OutputChunk | undefined;
  #pendingBytes = 0;
  #writing: Promise<void> | undefined;
  #total = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** The output of an earlier process of the machine. */
  static restore(path: string, total: number, inline: Buffer | undefined): OutputFile {
    const output = new OutputFile(path);
    output.#total = total;
    output.#memory = inline && [inline];
    return output;
  }

  /** Bytes written so far. */
  get total(): number {
    return this.#total;
  }

  /** Undefined: it is in the file. */
  get inline(): Buffer | undefined {
    return this.#memory && Buffer.concat(this.#memory);
  }

  /** Returns a function that unsubscribes. */
  onAppend(listener: OutputListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  append(bytes: Uint8Array): void {
    const at = this.#total;
    this.#total += bytes.length;
    if (this.#memory !== undefined) {
      this.#memory.push(Buffer.from(bytes));
      if (this.#total > MEMORY_BYTES) this.#spill(this.#memory);
    } else {
      this.#queue(at, Buffer.from(bytes));
    }
    for (const listener of this.#listeners) listener(bytes, at);
  }

  /** Reads up to `limit` bytes from a position on. Empty at the end. */
  async read(from: number, limit: number): Promise<OutputChunk> {
    const { inline } = this;
    if (inline !== undefined) return { at: from, bytes: inline.subarray(from, from + limit) };
    for (let skipped = 0; ; skipped += SKIPPED_BYTES) {
      const kept = this.#kept(from);
      const at = kept === from ? from : Math.min(kept + skipped, this.#total);
      // A command that never pauses may be faster than the disk.
      const waiting = this.#unwritten(at, limit);
      if (waiting.length > 0) return { at, bytes: waiting };
      const [first] = this.#queued;
      const written = first?.at ?? this.#total;
      const end = Math.min(written, at + limit, at < HEAD_BYTES ? HEAD_BYTES : Infinity);
      const bytes = await this.#readAt(at, end);
      // Newer output may have replaced it meanwhile.
      if (this.#kept(at) === at) return { at, bytes };
    }
  }

  /** The beginning and the end of the output after a position, with a marker in place of the rest. */
  async text(from = 0): Promise<string> {
    const headEnd = Math.min(this.#total, HEAD_SHOWN);
    const head = await this.#range(Math.min(from, headEnd), headEnd);
    const { tailStart, tail } = await this.#tail(Math.max(headEnd, from));
    const missing = tailStart - Math.max(from, headEnd);
    if (missing <= 0) return displayText(Buffer.concat([head, tail]));
    return `${displayText(head)}\n[… ${missing} bytes omitted …]\n${displayText(tail)}`;
  }

  /** The end of the output. If newer output replaces it while it is read, the new end is read instead. */
  async #tail(from: number): Promise<{ readonly tailStart: number; readonly tail: Buffer }> {
    for (let attempt = 1; ; attempt++) {
      const total = this.#total;
      const tailStart = Math.max(from, total - TAIL_SHOWN);
      const tail = await this.#range(tailStart, total);
      if (tail.length === total - tailStart || attempt === MAX_TAIL_READS)
        return { tailStart, tail };
    }
  }

  /** Call when no more output comes. */
  async close(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    const file = this.#file;
    this.#file = undefined;
    this.#handle = undefined;
    await (await file?.catch(() => undefined))?.close();
  }

  async delete(): Promise<void> {
    await this.close();
    if (this.#memory === undefined) await rm(this.#path, { force: true });
  }

  /** The first position from `from` on whose byte is still there. */
  #kept(from: number): number {
    const tail = Math.max(HEAD_BYTES, this.#total - TAIL_BYTES);
    return from >= HEAD_BYTES && from < tail ? tail : Math.min(from, this.#total);
  }

  async #range(from: number, end: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let at = from; at < end;) {
      const piece = await this.read(at, end - at);
      if (piece.bytes.length === 0 || piece.at >= end) break;
      pieces.push(piece.bytes.subarray(0, end - piece.at));
      at = piece.at + piece.bytes.length;
    }
    return Buffer.concat(pieces);
  }

  #spill(memory: readonly Buffer[]): void {
    this.#memory = undefined;
    this.#queue(0, Buffer.concat(memory));
  }

  #queue(at: number, bytes: Buffer): void {
    this.#pending.push(...split(at, bytes));
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes > HEAD_BYTES + 2 * TAIL_BYTES) this.#dropReplaced();
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  async #write(): Promise<void> {
    const handle = await this.#open();
    while ((this.#current = this.#pending.shift()) !== undefined) {
      const { at, bytes } = this.#current;
      this.#pendingBytes -= bytes.length;
      // A full disk leaves a gap. The command goes on.
      await handle?.write(bytes, 0, bytes.length, placeOf(at)).catch(() => undefined);
    }
  }

  get #queued(): readonly OutputChunk[] {
    return this.#current === undefined ? this.#pending : [this.#current, ...this.#pending];
  }

  /** The disk is slower than the command: newer output would replace the oldest pieces anyway. */
  #dropReplaced(): void {
    const isKept = (at: number) => this.#kept(at) === at;
    this.#pending = this.#pending.filter(({ at, bytes }) => isKept(at + bytes.length - 1));
    this.#pendingBytes = this.#pending.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  async #open(): Promise<FileHandle | undefined> {
    this.#file ??= open(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      this.#handle = await this.#file;
    } catch {
      this.#handle = undefined;
    }
    return this.#handle;
  }

  /** Output from a position on that is not in the file yet. Empty: the byte at the position is in the file. */
  #unwritten(from: number, limit: number): Buffer {
    const found: Buffer[] = [];
    let at = from;
    for (const piece of this.#queued) {
      if (at < piece.at || at >= piece.at + piece.bytes.length) continue;
      found.push(piece.bytes.subarray(at - piece.at));
      at = piece.at + piece.bytes.length;
      if (at >= from + limit) break;
    }
    return Buffer.concat(found).subarray(0, limit);
  }

  async #readAt(from: number, end: number): Promise<Buffer> {
    if (end <= from) return Buffer.alloc(0);
    const bytes = Buffer.alloc(end - from);
    const own = this.#handle;
    const handle = own ?? (await open(this.#path, 'r').catch(() => undefined));
    try {
      let at = from;
      for (const piece of split(from, bytes)) {
        await handle?.read(piece.bytes, 0, piece.bytes.length, placeOf(at));
        at += piece.bytes.length;
      }
      return bytes;
    } finally {
      if (own === undefined) await handle?.close();
    }
  }
}

/** The place in the file: the beginning, then a ring. */
const placeOf = (at: number) =>
  at < HEAD_BYTES ? at : HEAD_BYTES + ((at - HEAD_BYTES) % TAIL_BYTES);

/** Pieces that are contiguous in the file. They share the memory of `bytes`. */
function* split(from: number, bytes: Buffer): Generator<{ at: number; bytes: Buffer }> {
  for (let done = 0; done < bytes.length;) {
    const at = from + done;
    const place = placeOf(at);
    const room = (place < HEAD_BYTES ? HEAD_BYTES : HEAD_BYTES + TAIL_BYTES) - place;
    const piece = bytes.subarray(done, done + room);
    yield { at, bytes: piece };
    done += piece.length;
  }
}
