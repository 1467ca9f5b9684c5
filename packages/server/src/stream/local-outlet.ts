import type { EventFrame } from './event-frame.ts';
import type { Outlet } from './outlet.ts';

/** A reader in this process, which takes everything at once. */
export class LocalOutlet implements Outlet {
  readonly kind = 'sse';
  readonly backlog = 0;
  readonly #closed = Promise.withResolvers<void>();
  readonly closed = this.#closed.promise;
  readonly #onFrame: (frame: EventFrame) => void;
  readonly #listeners: (() => void)[] = [];
  #isOpen = true;
  taken = 0;

  constructor(onFrame: (frame: EventFrame) => void = () => undefined) {
    this.#onFrame = onFrame;
  }

  write(frame: EventFrame): void {
    this.taken += 1;
    if (this.#isOpen) this.#onFrame(frame);
  }

  keepAlive(): void {
    // There is no connection.
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#closed.resolve();
    for (const listener of this.#listeners) listener();
  }

  onClosed(listener: () => void): void {
    if (this.#isOpen) this.#listeners.push(listener);
    else listener();
  }
}
