import { type DesktopNotice, DesktopRequest, type DesktopStatus } from '@chatd/protocol';
import type { Ending } from '../../stream/outlet.ts';
import type { Connection } from '../../machine/drivers/driver.ts';
import type { DesktopViewer } from '../control.ts';
import type { Desktop } from '../desktop.ts';
import { ClientMessages, NotRfb } from './client-messages.ts';

export interface DesktopConnection {
  readonly backlog: number;
  send(data: Uint8Array | string): void;
  onMessage(listener: (data: string | Buffer) => void): void;
  onClosed(listener: () => void): void;
  close(ending: Ending, reason?: string): void;
}

export interface WatchOptions {
  readonly name: string;
  /** Take control at the start. */
  readonly controls: boolean;
  /** Whether the client is allowed to take control. */
  readonly mayControl: boolean;
  readonly wantsStatus: boolean;
  readonly onUse: () => void;
}

/**
 * Unsent bytes at which a connection is closed. RFB clients request updates, so a larger backlog means that the client
 * stopped reading.
 */
const MAX_BACKLOG_BYTES = 32 * 1024 * 1024;

export const statusOf = ({ size, control, watchers }: Desktop): DesktopStatus => ({
  running: true,
  ...size,
  controller: control.holder === undefined ? 'agent' : 'person',
  controlled_by: control.holder?.name ?? null,
  agent_waits: control.agentWaits,
  viewers: watchers,
});

/** Connects a viewer to a desktop until one of them ends. Input may arrive before the desktop has responded. */
export function watchDesktop(
  desktop: Desktop,
  connection: DesktopConnection,
  options: WatchOptions,
): void {
  const { control } = desktop;
  const viewer: DesktopViewer = { name: options.name };
  const mine = () => control.holder === viewer;
  const messages = new ClientMessages(mine);
  const rfb = connect(desktop, connection);
  const hand = (bytes: Buffer) => {
    if (bytes.length > 0) void rfb.then((open) => open?.write(bytes));
  };
  let had = false;
  let told = '';
  const tell = () => {
    if (had && !mine()) hand(messages.releaseAll());
    had = mine();
    if (!options.wantsStatus) return;
    const notice: DesktopNotice = { type: 'status', ...statusOf(desktop), yours: mine() };
    const text = JSON.stringify(notice);
    if (text !== told) connection.send(text);
    told = text;
  };
  const stops = [control.onChange(tell), desktop.onWatchers(tell)];
  connection.onMessage((data) => {
    try {
      if (typeof data === 'string') {
        const asked = DesktopRequest.parse(JSON.parse(data));
        if (asked.type === 'give_back') control.giveBack(viewer);
        else if (options.mayControl) control.take(viewer);
        return;
      }
      const { through, acted } = messages.push(data);
      hand(through);
      if (acted) options.onUse();
    } catch (error) {
      if (error instanceof NotRfb)
        connection.close('failed', `invalid RFB message: ${error.message}`);
      else connection.close('failed', 'invalid message');
    }
  });
  connection.onClosed(() => {
    hand(messages.releaseAll());
    control.giveBack(viewer);
    for (const stop of stops) stop();
    void rfb.then((open) => open?.close());
  });
  if (options.controls) control.take(viewer);
  tell();
}

async function connect(
  desktop: Desktop,
  connection: DesktopConnection,
): Promise<Connection | undefined> {
  try {
    return await desktop.watch({
      onData(bytes) {
        if (connection.backlog > MAX_BACKLOG_BYTES) connection.close('slow');
        // The buffer of the bytes is reused.
        else connection.send(Buffer.from(bytes));
      },
      onClose: () => connection.close('gone', 'the desktop has ended'),
    });
  } catch {
    connection.close('gone', 'the desktop has ended');
    return undefined;
  }
}
