import type { ServerResponse } from 'node:http';
import type { EventFrame } from '../../stream/event-frame.ts';
import type { Ending } from '../../stream/outlet.ts';
import { DATA_HEADERS } from '../headers.ts';
import { SocketOutlet } from './socket-outlet.ts';

export const EVENT_STREAM_HEADERS = {
  ...DATA_HEADERS,
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // Turns off buffering in nginx.
  'x-accel-buffering': 'no',
};

const COMMENT = Buffer.from(':\n\n');
const COMMENT_CHUNK = Buffer.from('3\r\n:\n\n\r\n');

/** Server-Sent Events. */
export class EventStreamOutlet extends SocketOutlet {
  readonly kind = 'sse';
  readonly #outgoing: ServerResponse;
  readonly #chunked: boolean;

  /** Undefined when the client has already closed the connection. */
  static open(
    outgoing: ServerResponse,
    headers: Readonly<Record<string, string>>,
    status: number,
  ): EventStreamOutlet | undefined {
    const { socket } = outgoing;
    if (socket === null || socket.destroyed) return undefined;
    outgoing.writeHead(status, { ...EVENT_STREAM_HEADERS, ...headers });
    outgoing.flushHeaders();
    return new EventStreamOutlet(outgoing, socket);
  }

  private constructor(outgoing: ServerResponse, socket: NonNullable<ServerResponse['socket']>) {
    super(socket);
    this.#outgoing = outgoing;
    // HTTP/1.0 clients get the bytes unchunked.
    this.#chunked = outgoing.chunkedEncoding;
  }

  keepAlive(): void {
    this.writeBytes(this.#chunked ? COMMENT_CHUNK : COMMENT);
  }

  close(ending: Ending): void {
    if (ending === 'slow') return this.cut();
    if (ending === 'complete') {
      this.#outgoing.end();
      return this.detach();
    }
    // Clients reconnect with a new connection.
    this.#outgoing.shouldKeepAlive = false;
    this.#outgoing.end(() => this.#outgoing.socket?.end());
    this.cutSoon();
  }

  protected bytesOf(frame: EventFrame): Buffer {
    return this.#chunked ? frame.eventStreamChunk : frame.eventStream;
  }
}
