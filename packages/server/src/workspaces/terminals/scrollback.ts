/** What a terminal has shown last. Every byte has a number, so that whoever comes back gets what it has not seen. */
export class Scrollback {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #kept = 0;
  #end = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How many bytes there were in all. */
  get end(): number {
    return this.#end;
  }

  /** The bytes are copied. */
  push(bytes: Uint8Array): Buffer {
    const chunk = Buffer.from(bytes.subarray(-this.#limit));
    this.#chunks.push(chunk);
    this.#kept += chunk.length;
    this.#end += bytes.length;
    while (this.#kept - (this.#chunks[0]?.length ?? 0) >= this.#limit) {
      this.#kept -= this.#chunks.shift()?.length ?? 0;
    }
    return bytes.length === chunk.length ? chunk : Buffer.from(bytes);
  }

  /**
   * What came after a byte, or all there is when that is no longer known. It then begins with a line, since the
   * middle of a sequence of control characters would be shown as text.
   */
  after(seen: number | undefined): { readonly from: number; readonly bytes: Buffer } {
    const all = Buffer.concat(this.#chunks);
    const first = this.#end - all.length;
    if (seen !== undefined && seen >= first && seen <= this.#end) {
      return { from: seen, bytes: all.subarray(seen - first) };
    }
    const line = first === 0 ? 0 : all.indexOf(10) + 1;
    return { from: first + line, bytes: all.subarray(line) };
  }
}
