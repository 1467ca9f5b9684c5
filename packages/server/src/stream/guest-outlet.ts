import type { EventFrame } from './event-frame.ts';
import { ForwardingOutlet } from './forwarding-outlet.ts';
import type { Outlet } from './outlet.ts';

/** The connection of a client that does not own the chat: its events have no costs, and by a link, no viewers. */
export class GuestOutlet extends ForwardingOutlet {
  readonly #isLink: boolean;

  constructor(outlet: Outlet, isLink: boolean) {
    super(outlet);
    this.#isLink = isLink;
  }

  write(frame: EventFrame): void {
    if (!this.#isLink || !frame.isAboutViewers) this.outlet.write(frame.withoutCosts);
  }
}
