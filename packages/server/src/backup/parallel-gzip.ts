import { Transform, type TransformCallback } from 'node:stream';
import { promisify } from 'node:util';
import { gzip as gzipCallback } from 'node:zlib';

const gzip = promisify(gzipCallback);

const BLOCK_BYTES = 1024 * 1024;
/** Blocks that are compressed at the same time, each in a thread of Node's pool. */
const BLOCKS = 4;
/** Three times as fast as the default level, for a few percent more bytes. */
const LEVEL = 2;

/** A gzip stream whose blocks are compressed in parallel. Each is a gzip member; every reader takes them as one file. */
export class ParallelGzip extends Transform {
  #held: Buffer[] = [];
  #size = 0;
  readonly #compressing: Promise<Buffer>[] = [];

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#held.push(chunk);
    this.#size += chunk.length;
    if (this.#size >= BLOCK_BYTES) this.#compress();
    this.#emit(BLOCKS).then(() => done(), done);
  }

  override _flush(done: TransformCallback): void {
    this.#compress();
    this.#emit(0).then(() => done(), done);
  }

  #compress(): void {
    if (this.#size === 0) return;
    const block = gzip(Buffer.concat(this.#held), { level: LEVEL });
    // Told by the one that waits for it.
    block.catch(() => undefined);
    this.#compressing.push(block);
    this.#held = [];
    this.#size = 0;
  }

  /** Passes finished blocks on, in their order, until no more than this many are left. */
  async #emit(left: number): Promise<void> {
    while (this.#compressing.length > left) this.push(await this.#compressing.shift());
  }
}
