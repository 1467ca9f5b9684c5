import { type DesktopNotice, DesktopRequest, type DesktopStatus } from '@chatd/protocol';
import type { Ending } from '../../stream/outlet.ts';
import type {
  DesktopHandlers,
  DesktopLink,
  DesktopState,
  HostedDesktop,
} from '../../machine/machine.ts';
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

export const statusOf = (state: DesktopState): DesktopStatus => ({
  running: true,
  width: state.width,
  height: state.height,
  controller: state.person === null ? 'agent' : 'person',
  controlled_by: state.person,
  agent_waits: state.agentWaits,
  viewers: state.viewers,
});

/** Connects a viewer to a desktop until one of them ends. Input may arrive before the desktop has responded. */
export function watchDesktop(
  desktop: HostedDesktop,
  connection: DesktopConnection,
  options: WatchOptions,
): void {
  let isMine = false;
  let told = '';
  const messages = new ClientMessages(() => isMine);
  const link = connect(desktop, connection, options.name, (state, yours) => {
    if (isMine && !yours) hand(messages.releaseAll());
    isMine = yours;
    if (!options.wantsStatus) return;
    const notice: DesktopNotice = { type: 'status', ...statusOf(state), yours };
    const text = JSON.stringify(notice);
    if (text !== told) connection.send(text);
    told = text;
  });
  const act = (action: (open: DesktopLink) => void) => {
    void link.then((open) => open && action(open));
  };
  const hand = (bytes: Buffer) => {
    if (bytes.length > 0) act((open) => void open.write(bytes));
  };
  connection.onMessage((data) => {
    try {
      if (typeof data === 'string') {
        const asked = DesktopRequest.parse(JSON.parse(data));
        if (asked.type === 'give_back') act((open) => open.giveBack());
        else if (options.mayControl) act((open) => open.take());
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
    act((open) => open.close());
  });
  if (options.controls) act((open) => open.take());
}

async function connect(
  desktop: HostedDesktop,
  connection: DesktopConnection,
  name: string,
  onState: DesktopHandlers['onState'],
): Promise<DesktopLink | undefined> {
  try {
    return await desktop.connect(
      { kind: 'viewer', name },
      {
        onState,
        onData(bytes) {
          if (connection.backlog > MAX_BACKLOG_BYTES) connection.close('slow');
          // The buffer of the bytes is reused.
          else connection.send(Buffer.from(bytes));
        },
        onClose: () => connection.close('gone', 'the desktop has ended'),
      },
    );
  } catch {
    connection.close('gone', 'the desktop has ended');
    return undefined;
  }
}
