import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { PreparedStream } from '../../stream/streams.ts';
import { EVENT_STREAM_HEADERS, EventStreamOutlet } from './event-stream.ts';
import type { Exchange } from '../exchange.ts';
import { acceptWebSocket, type WebSocketHandler } from './web-socket.ts';

/** Opens the stream of an authorized client, as a WebSocket or as Server-Sent Events. */
export function openStream(
  joining: PreparedStream,
  exchange: Exchange,
  outgoing: ServerResponse,
  crossOrigin: Readonly<Record<string, string>>,
): Response {
  const { upgrade, incoming } = exchange;
  const headers = { ...joining.headers, ...crossOrigin, 'x-request-id': exchange.id };
  if (upgrade !== undefined) {
    acceptWebSocket(incoming, upgrade, 'stream', {
      open: (outlet) => joining.open(outlet),
      cancel: () => joining.cancel(),
    });
    return RESPONSE_ALREADY_SENT;
  }
  if (exchange.method === 'HEAD') {
    joining.cancel();
    return new Response(null, { headers: { ...EVENT_STREAM_HEADERS, ...headers } });
  }
  const outlet = EventStreamOutlet.open(outgoing, headers, joining.status ?? 200);
  if (outlet === undefined) joining.cancel();
  else joining.open(outlet);
  return RESPONSE_ALREADY_SENT;
}

/** Opens a WebSocket in both directions. The request was checked to be an upgrade. */
export function openWebSocket(
  handler: WebSocketHandler,
  { incoming, upgrade }: Exchange,
): Response {
  if (upgrade === undefined) handler.cancel();
  else acceptWebSocket(incoming, upgrade, handler.kind ?? 'duplex', handler);
  return RESPONSE_ALREADY_SENT;
}
