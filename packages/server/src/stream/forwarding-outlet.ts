import type { EventFrame } from './event-frame.ts';
import type { Ending, Outlet } from './outlet.ts';

/** Changes what another outlet gets. */
export abstract class ForwardingOutlet implements Outlet {
  protected readonly outlet: Outlet;

  constructor(outlet: Outlet) {
    this.outlet = outlet;
  }

  get kind(): Outlet['kind'] {
    return this.outlet.kind;
  }

  get backlog(): number {
    return this.outlet.backlog;
  }

  get taken(): number {
    return this.outlet.taken;
  }

  abstract write(frame: EventFrame): void;

  drained(): Promise<void> {
    return this.outlet.drained();
  }

  keepAlive(): void {
    this.outlet.keepAlive();
  }

  close(ending: Ending): void {
    this.outlet.close(ending);
  }

  onClosed(listener: () => void): void {
    this.outlet.onClosed(listener);
  }
}
