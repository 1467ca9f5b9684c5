import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';

/** A client that wants to go on with a WebSocket. */
export interface Upgrade {
  readonly socket: Socket;
  readonly head: Buffer;
  /** The response gives the socket free. */
  release(): void;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

export const upgradeOf = (incoming: IncomingMessage): Upgrade | undefined => upgrades.get(incoming);

/**
 * Requests to upgrade go the way of all others: the same checks, in the same order, with the same answers. Only a
 * stream takes the offer; whoever else is asked answers in plain HTTP, and the connection ends with that.
 */
export function answerUpgrades(
  listener: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): (incoming: IncomingMessage, duplex: Duplex, head: Buffer) => void {
  return (incoming, duplex, head) => {
    // HTTP servers hand over the very socket.
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
