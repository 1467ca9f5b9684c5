import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';

/** A request to upgrade to a WebSocket. */
export interface Upgrade {
  readonly socket: Socket;
  readonly head: Buffer;
  /** Detaches the socket from the HTTP response. */
  release(): void;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

export const upgradeOf = (incoming: IncomingMessage): Upgrade | undefined => upgrades.get(incoming);

/**
 * Upgrade requests pass the same checks as all others. Routes without a WebSocket answer them in plain HTTP, and the
 * connection then ends.
 */
export function answerUpgrades(
  listener: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): (incoming: IncomingMessage, duplex: Duplex, head: Buffer) => void {
  return (incoming, duplex, head) => {
    // An HTTP server passes a socket here.
    const socket = duplex as Socket;
    socket.on('error', () => socket.destroy());
    const outgoing = new ServerResponse(incoming);
    outgoing.shouldKeepAlive = false;
    outgoing.assignSocket(socket);
    const end = () => {
      outgoing.detachSocket(socket);
      socket.end();
    };
    outgoing.once('finish', end);
    if (incoming.headers.upgrade?.toLowerCase() === 'websocket') {
      upgrades.set(incoming, {
        socket,
        head,
        release() {
          outgoing.off('finish', end);
          outgoing.detachSocket(socket);
        },
      });
    }
    listener(incoming, outgoing);
  };
}
