import type { Channel } from '../../machine/link/channel.ts';
import type { WebSocketConnection } from './web-socket.ts';

const REASON_BYTES = 120;

/** The connection of a machine as a channel of frames. */
export function machineChannel(connection: WebSocketConnection): Channel {
  let reason: string | undefined;
  let isClosed = false;
  let onMessage: ((message: Buffer) => void) | undefined;
  let onClose: ((reason: string) => void) | undefined;
  const close = (why: string) => {
    reason ??= why;
    connection.close('gone', Buffer.from(why).subarray(0, REASON_BYTES).toString('utf8'));
  };
  connection.onMessage((data) => {
    if (typeof data === 'string') close('the machine sent text');
    else onMessage?.(data);
  });
  connection.onClosed(() => {
    isClosed = true;
    onClose?.(reason ?? 'the connection ended');
  });
  return {
    get backlog() {
      return connection.backlog;
    },
    send: (message) => {
      if (!isClosed) connection.send(message);
    },
    onMessage: (listener) => {
      onMessage = listener;
    },
    onClose: (listener) => {
      onClose = listener;
      if (isClosed) listener(reason ?? 'the connection ended');
    },
    close,
  };
}
