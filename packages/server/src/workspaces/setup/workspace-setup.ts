import { OutputBuffer } from '../../machine/processes/output-buffer.ts';

const CAPS = { head: 8 * 1024, tail: 56 * 1024 };

export class WorkspaceSetup {
  readonly #log = new OutputBuffer(CAPS);
  readonly #listeners = new Set<(bytes: Uint8Array) => void>();
  readonly #stop = new AbortController();
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

  /** Replays the output so far, then follows it. Returns a function that unsubscribes. */
  follow(listener: (bytes: Uint8Array) => void): () => void {
    const sofar = this.#log.text();
    if (sofar !== '') listener(Buffer.from(sofar));
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  stop(): void {
    this.#stop.abort(new Error('the setup was stopped'));
  }
}
