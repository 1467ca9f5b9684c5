import type { Clock } from '@chatd/loop';
import type { Sandbox, ConnectionHandlers, Connection } from '../machine/drivers/driver.ts';
import { Control } from './control.ts';
import { type Display, launchDisplay } from './launch-display.ts';
import { DesktopUnavailable } from './desktop-unavailable.ts';
import type { Size } from './picture/scale.ts';
import { RfbClient } from './rfb/rfb-client.ts';
import { Screen } from './screen.ts';

/** A desktop that runs in a workspace. Agents share one connection; each viewer has its own. */
export class Desktop {
  readonly size: Size;
  readonly control: Control;
  /** Resolves with the reason when the desktop has ended. */
  readonly ended: Promise<string>;
  readonly #sandbox: Sandbox;
  readonly #display: Display;
  readonly #clock: Clock;
  #screen: Promise<Screen> | undefined;
  #watchers = 0;
  readonly #listeners = new Set<() => void>();

  static async start(sandbox: Sandbox, size: Size, clock: Clock): Promise<Desktop> {
    return new Desktop(sandbox, size, await launchDisplay(sandbox, size), clock);
  }

  private constructor(sandbox: Sandbox, size: Size, display: Display, clock: Clock) {
    this.#sandbox = sandbox;
    this.#display = display;
    this.#clock = clock;
    this.size = size;
    this.control = new Control(clock);
    this.ended = Promise.race([display.ended, sandbox.closed]);
  }

  get watchers(): number {
    return this.#watchers;
  }

  /** Called when a viewer connects or disconnects. Returns a function that unsubscribes. */
  onWatchers(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The screen that all agents share. */
  async screen(): Promise<Screen> {
    const known = await this.#screen?.catch(() => undefined);
    if (known !== undefined && !known.isGone) return known;
    this.#screen = RfbClient.open(this.#place(), this.#display.socket).then(
      (client) => new Screen(client, this.#clock),
    );
    return await this.#screen;
  }

  async watch(handlers: ConnectionHandlers): Promise<Connection> {
    this.#count(1);
    const left = () => {
      this.#count(-1);
      handlers.onClose();
    };
    return await this.#place()
      .connect(this.#display.socket, { onData: (bytes) => handlers.onData(bytes), onClose: left })
      .catch((error: unknown) => {
        this.#count(-1);
        throw error;
      });
  }

  #count(change: number): void {
    this.#watchers += change;
    for (const listener of this.#listeners) listener();
  }

  #place() {
    const { display } = this.#sandbox;
    if (display === undefined) throw new DesktopUnavailable('The workspace has no desktop.');
    return display;
  }
}
