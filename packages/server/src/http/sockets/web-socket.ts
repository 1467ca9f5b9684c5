import type { IncomingMessage } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import type { EventFrame } from '../../stream/event-frame.ts';
import type { Ending } from '../../stream/outlet.ts';
import { SocketOutlet } from './socket-outlet.ts';
import type { Upgrade } from './upgrade.ts';

/** Clients have nothing to say here: what they send is not kept. */
const MAX_PAYLOAD = 4096;
const PINGS_UNANSWERED = 2;

const server = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  // Many short messages to many clients: compressing them costs more than it saves.
  perMessageDeflate: false,
  maxPayload: MAX_PAYLOAD,
});

const CODES: Record<Ending, readonly [code: number, reason: string]> = {
  shutdown: [1001, 'the server stops: come back with your cursor'],
  slow: [1008, 'too slow'],
  revoked: [1008, 'the token or session is no longer valid'],
  gone: [1000, 'the chat is gone'],
  failed: [1011, 'the stream failed: come back with your cursor'],
};

/** What goes with the handshake. */
server.on('headers', (headers) => headers.push('cache-control: no-store'));

/** Calls back once the handshake is through; a handshake that is none is answered by itself. */
export function acceptWebSocket(
  incoming: IncomingMessage,
  upgrade: Upgrade,
  open: (outlet: WebSocketOutlet) => void,
): void {
  upgrade.release();
  server.handleUpgrade(incoming, upgrade.socket, upgrade.head, (webSocket) =>
    open(new WebSocketOutlet(webSocket, upgrade)),
  );
}

/** A text frame for each event. */
export class WebSocketOutlet extends SocketOutlet {
  readonly kind = 'websocket';
  readonly #webSocket: WebSocket;
  #unanswered = 0;

  constructor(webSocket: WebSocket, { socket }: Upgrade) {
    super(socket);
    this.#webSocket = webSocket;
    webSocket.on('error', () => this.cut());
    webSocket.on('pong', () => (this.#unanswered = 0));
  }

  /** A client that has nothing else on its way and leaves two pings unanswered is gone. */
  keepAlive(): void {
    if (this.backlog > 0) return;
    if (this.#unanswered === PINGS_UNANSWERED) return this.cut();
    this.#unanswered += 1;
    this.#webSocket.ping();
  }

  close(ending: Ending): void {
    if (ending === 'slow') return this.cut();
    this.#webSocket.close(...CODES[ending]);
    this.cutSoon();
  }

  /** Frames of a server are the same for every client: they are made once. */
  protected bytesOf(frame: EventFrame): Buffer {
    return frame.webSocket;
  }
}
