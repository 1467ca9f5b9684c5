const KEPT = 2000;

/** The end of a program's stderr. */
export class StderrTail {
  #bytes = Buffer.alloc(0);

  add(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]).subarray(-KEPT);
  }

  get text(): string {
    return this.#bytes.toString('utf8').trim();
  }
}
