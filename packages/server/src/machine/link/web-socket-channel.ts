import { type RawData, WebSocket } from 'ws';
import type { Channel } from './channel.ts';
import { LINK_LIMITS } from './limits.ts';

/** The server answered the request for a WebSocket with an error. */
export class ConnectionRefused extends Error {
  override readonly name = 'ConnectionRefused';
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

const CONNECT_MS = 10_000;
const REFUSAL_BYTES = 16 * 1024;
/** The time for the other side to close the connection. */
const CLOSE_MS = 1000;
const REASON_BYTES = 120;

/** Opens a WebSocket. Throws `ConnectionRefused`, or why the server cannot be reached. */
export async function dialWebSocket(
  url: string,
  options: { readonly headers: Readonly<Record<string, string>>; readonly signal?: AbortSignal },
): Promise<Channel> {
  options.signal?.throwIfAborted();
  const socket = new WebSocket(url, {
    headers: options.headers,
    perMessageDeflate: false,
    maxPayload: LINK_LIMITS.message,
    handshakeTimeout: CONNECT_MS,
    // Masks protect proxies from scripts in browsers that choose what is sent. With zeros, `ws` copies and masks nothing.
    generateMask: (mask) => void mask.fill(0),
  });
  const { promise, resolve, reject } = Promise.withResolvers<Channel>();
  const abort = () => socket.terminate();
  options.signal?.addEventListener('abort', abort, { once: true });
  socket.once('open', () => resolve(webSocketChannel(socket)));
  socket.once('error', reject);
  socket.once('unexpected-response', (_request, response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text = (text + chunk).slice(0, REFUSAL_BYTES);
    });
    response.once('close', () => {
      reject(new ConnectionRefused(response.statusCode ?? 0, detailIn(text)));
      socket.terminate();
    });
  });
  try {
    return await promise;
  } finally {
    options.signal?.removeEventListener('abort', abort);
  }
}

function detailIn(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    if (typeof detail === 'string') return detail;
  } catch {
    // Not a problem of chatd: a proxy answered.
  }
  return text.trim().slice(0, 300) || 'no reason given';
}

/** The channel of an open WebSocket. */
export function webSocketChannel(socket: WebSocket): Channel {
  let reason: string | undefined;
  let onClose: ((reason: string) => void) | undefined;
  let isClosed = false;
  socket.on('error', (error) => {
    reason ??= error.message;
    socket.terminate();
  });
  socket.on('close', (code, text) => {
    reason ??= text.length > 0 ? text.toString('utf8') : `the connection ended (${code})`;
    isClosed = true;
    onClose?.(reason);
  });
  return {
    get backlog() {
      return socket.bufferedAmount;
    },
    send(message) {
      if (socket.readyState === WebSocket.OPEN) socket.send(message);
    },
    onMessage(listener) {
      socket.removeAllListeners('message');
      socket.on('message', (data: RawData, isBinary: boolean) => {
        if (isBinary) return listener(data as Buffer);
        reason ??= 'the other side sent text';
        socket.terminate();
      });
    },
    onClose(listener) {
      onClose = listener;
      if (isClosed) listener(reason ?? '');
    },
    close(why) {
      reason ??= why;
      socket.close(1000, Buffer.from(why).subarray(0, REASON_BYTES));
      setTimeout(() => socket.terminate(), CLOSE_MS).unref();
    },
  };
}
