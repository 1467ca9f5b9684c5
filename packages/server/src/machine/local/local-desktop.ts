import { DesktopUnavailable } from '../display/desktop-unavailable.ts';
import { type Display, launchDisplay } from '../display/launch-display.ts';
import type { Sandbox } from '../drivers/driver.ts';
import type {
  DesktopClient,
  DesktopHandlers,
  DesktopLink,
  DesktopSize,
  DesktopState,
  HostedDesktop,
} from '../machine.ts';
import { DesktopControl } from './desktop-control.ts';

interface RunningDesktop {
  readonly display: Display;
  readonly control: DesktopControl;
}

/** The display of an open workspace. It starts on request and ends with the sandbox. */
export class LocalDesktop implements HostedDesktop {
  readonly #sandbox: Sandbox;
  #running: Promise<RunningDesktop> | undefined;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
  }

  async start(size: DesktopSize): Promise<void> {
    await (this.#running ?? this.#launch(size));
  }

  async state(): Promise<DesktopState | undefined> {
    return (await this.#running?.catch(() => undefined))?.control.state;
  }

  async connect(client: DesktopClient, handlers: DesktopHandlers): Promise<DesktopLink> {
    const running = await this.#running;
    const access = this.#sandbox.display;
    if (running === undefined || access === undefined) {
      throw new DesktopUnavailable('The desktop of the workspace does not run.');
    }
    const { control, display } = running;
    const member = { client, onState: handlers.onState.bind(handlers) };
    let isClosed = false;
    const connection = await access.connect(display.socket, {
      onData: (bytes) => handlers.onData(bytes),
      onClose() {
        isClosed = true;
        control.leave(member);
        handlers.onClose();
      },
    });
    if (!isClosed) control.join(member);
    return {
      write: (bytes) => connection.write(bytes),
      close: () => connection.close(),
      take: () => control.take(member),
      giveBack: () => control.giveBack(member),
    };
  }

  #launch(size: DesktopSize): Promise<RunningDesktop> {
    const launching = launchDisplay(this.#sandbox, size).then((display) => ({
      display,
      control: new DesktopControl(size),
    }));
    this.#running = launching;
    const forget = () => {
      if (this.#running === launching) this.#running = undefined;
    };
    launching.then(({ display }) => display.ended.then(forget), forget).catch(forget);
    return launching;
  }
}
