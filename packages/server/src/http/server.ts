import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Refused } from '../chat/refused.ts';
import { createApi } from './api.ts';
import { asProblem, problemResponse } from './problem.ts';
import type { Services } from './services.ts';
import { answerForwarding } from './sockets/forwarding.ts';
import { answerUpgrades } from './sockets/upgrade.ts';

/** Longer than reverse proxies keep idle connections (60 s), so that none sends a request while the server closes its. */
const KEEP_ALIVE_MS = 75_000;
const FINISH_MS = 10_000;
const IDLE_MS = 50;

const MALFORMED = new Refused('invalid_request', 'The Host header or the path is malformed.');

export interface HttpServer {
  readonly port: number;
  /** Stops accepting, lets requests finish for a while, then cuts what is left. */
  close(): Promise<void>;
}

/** Throws what `listen` throws: the port may be taken, or not ours to use. */
export async function startHttpServer(
  services: Services,
  address: { readonly host: string; readonly port: number },
): Promise<HttpServer> {
  const api = createApi(services);
  const listener = getRequestListener((request, env) => api.fetch(request, env), {
    // `discardBody` does it.
    autoCleanupIncoming: false,
    // Called when the Host header or the target cannot be parsed.
    errorHandler: () => problemResponse(asProblem(MALFORMED), { connection: 'close' }),
  });
  const server = createServer({
    requestTimeout: 120_000,
    headersTimeout: 30_000,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) =>
    void listener(incoming, outgoing);
  server.on('request', (incoming, outgoing) => {
    if (services.previews?.answer(incoming, outgoing) !== true) answer(incoming, outgoing);
  });
  const upgrade = answerUpgrades(answer);
  server.on('upgrade', (incoming, duplex, head) => {
    const socket = duplex as Socket;
    if (services.previews?.answerUpgrade(incoming, socket, head) === true) return;
    if (!answerForwarding(services.forwarded, incoming, socket, head))
      upgrade(incoming, duplex, head);
  });
  server.listen(address.port, address.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, close: () => close(server) };
}

async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  // A keep-alive connection becomes idle after its last response, and would delay the close.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_MS);
  const cut = setTimeout(() => server.closeAllConnections(), FINISH_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}
