/** The latest output of a terminal. Bytes are numbered, so that a client can resume after a disconnect. */
export class Scrollback {
  readonly #limit: number;
  #chunks: Buffer[] = [];
  #kept = 0;
  #end = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Total number of bytes written. */
  get end(): number {
    return this.#end;
  }

  /** Returns a copy of the bytes. */
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
   * The output after a position, or everything that is left if the position is gone. In that case it starts with a
   * whole line: a truncated escape sequence would show up as text.
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
