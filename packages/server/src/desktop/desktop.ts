import type { Clock } from '@chatd/loop';
import type { Box, Hearing, Wire } from '../workspaces/driver.ts';
import { Control } from './control.ts';
import { type Display, launchDisplay } from './launch-display.ts';
import { NoDesktop } from './no-desktop.ts';
import type { Size } from './picture/scale.ts';
import { RfbClient } from './rfb/rfb-client.ts';
import { Screen } from './screen.ts';

/** A desktop that runs in a workspace: agents act on its screen, people watch it over connections of their own. */
export class Desktop {
  readonly size: Size;
  readonly control: Control;
  /** Why, once it has. */
  readonly ended: Promise<string>;
  readonly #box: Box;
  readonly #display: Display;
  readonly #clock: Clock;
  #screen: Promise<Screen> | undefined;
  #watchers = 0;
  readonly #listeners = new Set<() => void>();

  static async start(box: Box, size: Size, clock: Clock): Promise<Desktop> {
    return new Desktop(box, size, await launchDisplay(box, size), clock);
  }

  private constructor(box: Box, size: Size, display: Display, clock: Clock) {
    this.#box = box;
    this.#display = display;
    this.#clock = clock;
    this.size = size;
    this.control = new Control(clock);
    this.ended = Promise.race([display.ended, box.closed]);
  }

  /** How many people look at it. */
  get watchers(): number {
    return this.#watchers;
  }

  /** Calls back when somebody comes or goes. The function that comes back ends it. */
  onWatchers(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** For agents; all of them share it. */
  async screen(): Promise<Screen> {
    const known = await this.#screen?.catch(() => undefined);
    if (known !== undefined && !known.isGone) return known;
    this.#screen = RfbClient.open(this.#place(), this.#display.socket).then(
      (client) => new Screen(client, this.#clock),
    );
    return await this.#screen;
  }

  /** For a person: the server's end of RFB, as it is. */
  async watch(heard: Hearing): Promise<Wire> {
    this.#count(1);
    const left = () => {
      this.#count(-1);
      heard.onClose();
    };
    return await this.#place()
      .connect(this.#display.socket, { onData: (bytes) => heard.onData(bytes), onClose: left })
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
    const { display } = this.#box;
    if (display === undefined) throw new NoDesktop('The workspace has no desktop.');
    return display;
  }
}
