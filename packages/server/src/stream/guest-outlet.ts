import type { EventFrame } from './event-frame.ts';
import type { Ending, Outlet } from './outlet.ts';

/** The connection of a client that does not own the chat: its events have no costs, and by a link, no viewers. */
export class GuestOutlet implements Outlet {
  readonly #outlet: Outlet;
  readonly #isLink: boolean;

  constructor(outlet: Outlet, isLink: boolean) {
    this.#outlet = outlet;
    this.#isLink = isLink;
  }

  get kind(): Outlet['kind'] {
    return this.#outlet.kind;
  }

  get backlog(): number {
    return this.#outlet.backlog;
  }

  get taken(): number {
    return this.#outlet.taken;
  }

  write(frame: EventFrame): void {
    if (!this.#isLink || !frame.isAboutViewers) this.#outlet.write(frame.withoutCosts);
  }

  drained(): Promise<void> {
    return this.#outlet.drained();
  }

  keepAlive(): void {
    this.#outlet.keepAlive();
  }

  close(ending: Ending): void {
    this.#outlet.close(ending);
  }

  onClosed(listener: () => void): void {
    this.#outlet.onClosed(listener);
  }
}
