export class ByteQueue {
  #chunks: Buffer[] = [];
  #have = 0;
  #wanted: { readonly count: number; resolve(): void; reject(error: Error): void } | undefined;
  #failed: Error | undefined;

  /** Copies the bytes, whose buffer the caller may reuse. */
  push(bytes: Uint8Array): void {
    this.#chunks.push(Buffer.from(bytes));
    this.#have += bytes.length;
    if (this.#wanted !== undefined && this.#have >= this.#wanted.count) this.#settle()?.resolve();
  }

  end(error: Error): void {
    this.#failed ??= error;
    this.#settle()?.reject(this.#failed);
  }

  /** Waits for `length` bytes. Only one caller may wait at a time. */
  async take(count: number): Promise<Buffer> {
    if (this.#have < count) {
      if (this.#failed !== undefined) throw this.#failed;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      this.#wanted = { count, resolve, reject };
      await promise;
    }
    const [first] = this.#chunks;
    const all = first !== undefined && first.length >= count ? first : Buffer.concat(this.#chunks);
    if (all !== first) this.#chunks = [all];
    this.#have -= count;
    if (all.length === count) this.#chunks.shift();
    else this.#chunks[0] = all.subarray(count);
    return all.subarray(0, count);
  }

  #settle() {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    return wanted;
  }
}
