import type { IncomingMessage } from 'node:http';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { EventFrame } from '../../stream/event-frame.ts';
import type { Ending } from '../../stream/outlet.ts';
import { SocketOutlet } from './socket-outlet.ts';
import type { Upgrade } from './upgrade.ts';
import { LINK_LIMITS } from '../../machine/link/limits.ts';

const MAX_UNANSWERED_PINGS = 2;

/** `maxPayload` limits the messages of clients. Compressing many short messages costs more than it saves. */
function newServer(maxPayload: number): WebSocketServer {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload,
  });
  server.on('headers', (headers) => headers.push('cache-control: no-store'));
  return server;
}

const SERVERS = {
  /** Messages of the client are discarded. */
  stream: newServer(4096),
  /** Keys, pasted text and mouse events. */
  duplex: newServer(1024 * 1024),
  /** Frames of a machine. */
  machine: newServer(LINK_LIMITS.message),
};

const CLOSE_CODES: Record<Ending, readonly [code: number, reason: string]> = {
  shutdown: [1001, 'the server is shutting down: reconnect'],
  slow: [1008, 'the client reads too slowly'],
  revoked: [1008, 'the token or session is no longer valid'],
  gone: [1000, 'closed'],
  failed: [1011, 'server error: reconnect'],
  complete: [1000, 'closed'],
};

/** Receives the connection of a WebSocket route, once the handshake is complete. */
export interface WebSocketHandler {
  /** Limits the length of messages. Default: `duplex`. */
  readonly kind?: 'duplex' | 'machine';
  open(connection: WebSocketConnection): void;
  /** The connection was closed, perhaps before it was opened. */
  cancel(): void;
}

/** Completes the handshake. An invalid handshake is answered by the WebSocket server. */
export function acceptWebSocket(
  incoming: IncomingMessage,
  upgrade: Upgrade,
  kind: keyof typeof SERVERS,
  handler: WebSocketHandler,
): void {
  upgrade.release();
  // It may have emitted `close` already.
  if (upgrade.socket.destroyed) return handler.cancel();
  upgrade.socket.once('close', () => handler.cancel());
  SERVERS[kind].handleUpgrade(incoming, upgrade.socket, upgrade.head, (webSocket) =>
    handler.open(new WebSocketConnection(webSocket, upgrade)),
  );
}

/** The server side of every WebSocket: writes the frames of a stream, or exchanges messages. */
export class WebSocketConnection extends SocketOutlet {
  readonly kind = 'websocket';
  readonly #webSocket: WebSocket;
  #unanswered = 0;

  constructor(webSocket: WebSocket, { socket }: Upgrade) {
    super(socket);
    this.#webSocket = webSocket;
    webSocket.on('error', () => this.cut());
    webSocket.on('pong', () => (this.#unanswered = 0));
  }

  send(data: Uint8Array | string): void {
    this.#webSocket.send(data);
  }

  /** Text messages as strings, binary messages as bytes. */
  onMessage(listener: (data: string | Buffer) => void): void {
    this.#webSocket.on('message', (data: RawData, isBinary: boolean) => {
      this.#unanswered = 0;
      const bytes = Buffer.isBuffer(data) ? data : Buffer.concat([data].flat() as Buffer[]);
      listener(isBinary ? bytes : bytes.toString('utf8'));
    });
  }

  /** Cuts a client that leaves two pings unanswered while nothing else is being sent to it. */
  keepAlive(): void {
    if (this.backlog > 0) return;
    if (this.#unanswered === MAX_UNANSWERED_PINGS) return this.cut();
    this.#unanswered += 1;
    this.#webSocket.ping();
  }

  /** A slow client would not read the close frame, and is cut. */
  close(ending: Ending, reason: string = CLOSE_CODES[ending][1]): void {
    if (ending === 'slow') return this.cut();
    this.#webSocket.close(CLOSE_CODES[ending][0], reason);
    this.cutSoon();
  }

  /** All clients share the bytes: frames from a server are not masked. */
  protected bytesOf(frame: EventFrame): Buffer {
    return frame.webSocket;
  }
}
