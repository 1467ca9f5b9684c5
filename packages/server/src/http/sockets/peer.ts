import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Ending, Subscriber } from '../../stream/outlet.ts';
import type { Upgrade } from './upgrade.ts';

/** Keys, pasted text, and what a mouse does. */
const MAX_PAYLOAD = 1024 * 1024;
const PINGS_UNANSWERED = 2;
const GOING_MS = 1000;

const server = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MAX_PAYLOAD,
});

server.on('headers', (headers) => headers.push('cache-control: no-store'));

const CODES: Record<Ending, readonly [code: number, reason: string]> = {
  shutdown: [1001, 'the server stops: come back'],
  slow: [1008, 'too slow'],
  revoked: [1008, 'the token or session is no longer valid'],
  gone: [1000, 'it is over'],
  failed: [1011, 'it failed: come back'],
};

/** What happens once a client that may speak with us is there. */
export interface Meeting {
  open(peer: Peer): void;
  /** The client has gone before it could be opened. */
  cancel(): void;
}

/** Calls back once the handshake is through; a handshake that is none is answered by itself. */
export function acceptPeer(incoming: IncomingMessage, upgrade: Upgrade, meeting: Meeting): void {
  upgrade.socket.once('close', () => meeting.cancel());
  upgrade.release();
  server.handleUpgrade(incoming, upgrade.socket, upgrade.head, (webSocket) =>
    meeting.open(new Peer(webSocket, upgrade.socket)),
  );
}

/** A client at the other end of a WebSocket, with whom we speak both ways. */
export class Peer implements Subscriber {
  readonly #webSocket: WebSocket;
  readonly #socket: Socket;
  readonly #listeners: (() => void)[] = [];
  #closed = false;
  #unanswered = 0;

  constructor(webSocket: WebSocket, socket: Socket) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    webSocket.on('error', () => this.cut());
    webSocket.on('pong', () => (this.#unanswered = 0));
    webSocket.once('close', () => {
      this.#closed = true;
      for (const listener of this.#listeners.splice(0)) listener();
    });
  }

  /** Bytes that were sent and not taken. */
  get backlog(): number {
    return this.#socket.writableLength;
  }

  send(data: Uint8Array | string): void {
    if (!this.#closed) this.#webSocket.send(data);
  }

  /** Resolves when everything was taken, or the client has gone. */
  async drained(): Promise<void> {
    if (this.#closed || this.#socket.writableLength === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket.once('drain', resolve);
    this.onClosed(resolve);
    await promise;
    this.#socket.off('drain', resolve);
  }

  /** Text messages as text, others as their bytes. */
  onMessage(listener: (data: string | Buffer) => void): void {
    this.#webSocket.on('message', (data: RawData, isBinary: boolean) => {
      this.#unanswered = 0;
      const bytes = Buffer.isBuffer(data) ? data : Buffer.concat([data].flat() as Buffer[]);
      listener(isBinary ? bytes : bytes.toString('utf8'));
    });
  }

  onClosed(listener: () => void): void {
    if (this.#closed) listener();
    else this.#listeners.push(listener);
  }

  /** A client that has nothing else on its way and leaves two pings unanswered is gone. */
  keepAlive(): void {
    if (this.backlog > 0) return;
    if (this.#unanswered === PINGS_UNANSWERED) return this.cut();
    this.#unanswered += 1;
    this.#webSocket.ping();
  }

  close(ending: Ending, reason: string = CODES[ending][1]): void {
    this.#webSocket.close(CODES[ending][0], reason);
    setTimeout(() => this.cut(), GOING_MS).unref();
  }

  cut(): void {
    this.#socket.destroy();
  }
}
