/** A response of a host. As text, whose size is known: hosts decide what they send. */
export interface KeptResponse {
  readonly text: string;
  readonly etag: string | undefined;
  /** The URL of the next page. */
  readonly next: string | undefined;
  readonly at: number;
  /** The number of changes that the client had made before. */
  readonly changes: number;
}

const MAX_BYTES = 64 * 1024 * 1024;
/** Of an entry, beyond its text. */
const OVERHEAD = 1024;

/** The responses of all hosts. If they are too large in total, the ones stored first are dropped. */
export class ResponseCache {
  readonly #maxBytes: number;
  readonly #kept = new Map<string, KeptResponse>();
  #bytes = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): KeptResponse | undefined {
    return this.#kept.get(key);
  }

  set(key: string, response: KeptResponse): void {
    this.#drop(key);
    this.#kept.set(key, response);
    this.#bytes += sizeOf(response);
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const response = this.#kept.get(key);
    if (response === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= sizeOf(response);
  }
}

/** Characters have up to two bytes. */
const sizeOf = ({ text }: KeptResponse) => text.length * 2 + OVERHEAD;
