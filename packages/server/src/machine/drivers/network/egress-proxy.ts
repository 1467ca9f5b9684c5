import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type AddressPolicy, AddressRefused } from './address-policy.ts';
import { Allowlist } from './allowlist.ts';
import { HOP_HEADERS } from './hop-headers.ts';

export interface EgressPolicy {
  readonly allowlist: readonly string[];
  readonly addresses: AddressPolicy;
}

interface EgressProxy {
  close(): void;
}

const MAX_CONNECTIONS = 256;
const CONNECT_TIMEOUT_MS = 15_000;
const IDLE_TIMEOUT_MS = 10 * 60_000;

/**
 * An HTTP proxy for one workspace, on a Unix socket. It serves CONNECT and plain HTTP and resolves host names itself.
 * It follows no redirects: the client's next request is checked like the first.
 */
export async function startEgressProxy(
  socketPath: string,
  { allowlist, addresses }: EgressPolicy,
): Promise<EgressProxy> {
  const allowed = new Allowlist(allowlist);
  const open = new Set<Duplex>();
  const dial = async (target: URL): Promise<Socket> => {
    const port = Number(target.port === '' ? '80' : target.port);
    if (!allowed.allows(target.hostname, port)) {
      throw new AddressRefused(
        `Host "${target.hostname}:${port}" is not on the network allowlist of this workspace.`,
      );
    }
    const socket = await connectToFirst(await addresses.resolve(target.hostname), port);
    track(open, socket);
    return socket;
  };

  const server = createServer({ requestTimeout: 0 }, (incoming, response) => {
    void forward(incoming, response, dial);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('connection', (socket) => track(open, socket));
  server.on('connect', (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    void tunnel(incoming.url ?? '', client, head, dial);
  });
  server.on('upgrade', (_incoming, client: Duplex) => client.destroy());
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen(socketPath, resolve);
  await promise;
  return {
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

function track(open: Set<Duplex>, socket: Socket): void {
  open.add(socket);
  socket.setTimeout(IDLE_TIMEOUT_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.once('close', () => open.delete(socket));
}

type Dial = (target: URL) => Promise<Socket>;

async function tunnel(authority: string, client: Duplex, head: Buffer, dial: Dial): Promise<void> {
  client.on('error', () => client.destroy());
  try {
    const upstream = await dial(targetOf(`http://${authority}`));
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    if (head.length > 0) upstream.write(head);
    await Promise.all([pipeline(client, upstream), pipeline(upstream, client)]).catch(() => {
      client.destroy();
      upstream.destroy();
    });
  } catch (error) {
    const { status, message } = explain(error);
    client.end(
      `HTTP/1.1 ${status} ${REASONS[status]}\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${message}\n`,
    );
  }
}

async function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  dial: Dial,
): Promise<void> {
  try {
    const target = targetOf(incoming.url ?? '');
    const socket = await dial(target);
    response.once('close', () => socket.destroy());
    const outgoing = request({
      createConnection: () => socket,
      method: incoming.method,
      path: `${target.pathname}${target.search}`,
      // The host that was checked, regardless of the client's own header.
      headers: { ...endToEnd(incoming.headers), host: target.host, connection: 'close' },
    });
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    outgoing.once('response', resolve).once('error', reject);
    outgoing.once('upgrade', () => socket.destroy());
    incoming.pipe(outgoing);
    const answer = await promise;
    response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
    await pipeline(answer, response);
  } catch (error) {
    const { status, message } = explain(error);
    if (response.headersSent) response.destroy();
    else response.writeHead(status, { 'content-type': 'text/plain' }).end(`${message}\n`);
  }
}

class BadTarget extends Error {
  override readonly name = 'BadTarget';
}

/** Normalizes every spelling of a host (case, octal and hexadecimal addresses, IDN) before it is checked. */
function targetOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' || url.username !== '' || url.password !== '') {
    throw new BadTarget('Use CONNECT for TLS, and http://HOST/PATH for plain HTTP.');
  }
  return url;
}

async function connectToFirst(addresses: readonly string[], port: number): Promise<Socket> {
  let failure: unknown = new Error('The host has no address.');
  for (const address of addresses) {
    try {
      return await connectTo(address, port);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function connectTo(host: string, port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect({ host, port, allowHalfOpen: true });
  socket.setTimeout(CONNECT_TIMEOUT_MS, () => socket.destroy(new Error('Connection timed out.')));
  socket.once('connect', () => resolve(socket)).once('error', reject);
  return promise;
}

const endToEnd = (headers: IncomingMessage['headers']) =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => !HOP_HEADERS.has(name) && value !== undefined,
    ),
  ) as Record<string, string | string[]>;

const REASONS = { 400: 'Bad Request', 403: 'Forbidden', 502: 'Bad Gateway' } as const;

function explain(error: unknown): { status: keyof typeof REASONS; message: string } {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof AddressRefused) return { status: 403, message };
  if (error instanceof BadTarget) return { status: 400, message };
  return { status: 502, message };
}
