import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { PreparedStream } from '../../stream/streams.ts';
import { EVENT_STREAM_HEADERS, EventStreamOutlet } from './event-stream.ts';
import type { Exchange } from '../exchange.ts';
import { acceptPeer, type Meeting } from './peer.ts';
import { acceptWebSocket } from './web-socket.ts';

/** All checks are behind us: the client gets its stream, in the form that it asked for. */
export function openStream(
  joining: PreparedStream,
  exchange: Exchange,
  outgoing: ServerResponse,
  crossOrigin: Readonly<Record<string, string>>,
): Response {
  const { upgrade, incoming } = exchange;
  const headers = { ...joining.headers, ...crossOrigin, 'x-request-id': exchange.id };
  if (upgrade !== undefined) {
    // A handshake that fails opens nothing.
    upgrade.socket.once('close', () => joining.cancel());
    acceptWebSocket(incoming, upgrade, (outlet) => joining.open(outlet));
    return RESPONSE_ALREADY_SENT;
  }
  if (exchange.method === 'HEAD') {
    joining.cancel();
    return new Response(null, { headers: { ...EVENT_STREAM_HEADERS, ...headers } });
  }
  const outlet = EventStreamOutlet.open(outgoing, headers);
  if (outlet === undefined) joining.cancel();
  else joining.open(outlet);
  return RESPONSE_ALREADY_SENT;
}

/** The same for those who want to speak as well; that they asked for it was checked. */
export function openPeer(meeting: Meeting, { incoming, upgrade }: Exchange): Response {
  if (upgrade === undefined) meeting.cancel();
  else acceptPeer(incoming, upgrade, meeting);
  return RESPONSE_ALREADY_SENT;
}
