import { OutputBuffer } from '../processes/output-buffer.ts';

const CAPS = { head: 8 * 1024, tail: 56 * 1024 };

/** The set-up of a workspace, while it runs in this process. */
export class WorkspaceSetup {
  readonly #log = new OutputBuffer(CAPS);
  readonly #listeners = new Set<(bytes: Uint8Array) => void>();
  readonly #stop = new AbortController();
  /** Resolves when it has ended, well or not. */
  ended: Promise<void> = Promise.resolve();

  get log(): string {
    return this.#log.text();
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  write(bytes: Uint8Array): void {
    this.#log.push(bytes);
    for (const listener of this.#listeners) listener(bytes);
  }

  /** What was written so far, and then what comes. The function that comes back ends it. */
  follow(listener: (bytes: Uint8Array) => void): () => void {
    const sofar = this.#log.text();
    if (sofar !== '') listener(Buffer.from(sofar));
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  stop(): void {
    this.#stop.abort(new Error('the set-up was stopped'));
  }
}
