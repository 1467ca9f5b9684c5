import type { Clock } from '@chatd/loop';
import type { DesktopLink, HostedDesktop } from '../machine/machine.ts';
import { Control, type Waiting } from './control.ts';
import { RfbClient } from './rfb/rfb-client.ts';
import { Screen } from './screen.ts';

interface AgentConnection {
  readonly screen: Screen;
  readonly link: DesktopLink;
  readonly control: Control;
}

/** A desktop that runs in a workspace. The agents of this process share one connection; each viewer has its own. */
export class Desktop {
  readonly #hosted: HostedDesktop;
  readonly #clock: Clock;
  #agents: Promise<AgentConnection> | undefined;

  constructor(hosted: HostedDesktop, clock: Clock) {
    this.#hosted = hosted;
    this.#clock = clock;
  }

  /** The screen that all agents share. */
  async screen(): Promise<Screen> {
    return (await this.#connection()).screen;
  }

  /** Runs one action of an agent when no person has control, after actions of other agents. */
  async act<T>(waiting: Waiting, action: (screen: Screen) => Promise<T>): Promise<T> {
    const { control, link, screen } = await this.#connection();
    return await control.act(link, waiting, () => action(screen));
  }

  async #connection(): Promise<AgentConnection> {
    const earlier = this.#agents;
    const known = await earlier?.catch(() => undefined);
    if (known !== undefined && !known.screen.isGone) return known;
    // Another caller may have connected meanwhile.
    if (this.#agents !== earlier) return await this.#connection();
    this.#agents = this.#connect();
    return await this.#agents;
  }

  async #connect(): Promise<AgentConnection> {
    const control = new Control(this.#clock);
    const { client, connection } = await RfbClient.open((handlers) =>
      this.#hosted.connect(
        { kind: 'agent' },
        {
          onData: (bytes) => handlers.onData(bytes),
          onClose() {
            control.onClose();
            handlers.onClose();
          },
          onState: control.onState,
        },
      ),
    );
    return { control, link: connection, screen: new Screen(client, this.#clock) };
  }
}
