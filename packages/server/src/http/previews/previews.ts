import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { isLoopback } from '../../auth/hosts.ts';
import { Refused } from '../../chat/refused.ts';
import type { Database } from '../../store/database.ts';
import { connectionSocket } from '../../machine/connection-socket.ts';
import { findUser } from '../../store/queries/users.ts';
import type { Workspaces } from '../../workspaces/workspaces.ts';
import type { Exchange } from '../exchange.ts';
import { asProblem } from '../problem.ts';
import { requestHeaders, responseHeaders } from './forwarded-headers.ts';
import { portRefused } from './port-refused.ts';

import { type PreviewClaim, readLabel, signLabel } from './preview-label.ts';

export interface PreviewsOptions {
  readonly workspaces: Workspaces;
  readonly database: Database;
  /** The first signs, all verify. */
  readonly keys: readonly Buffer[];
  /** The domain below which previews have their host names. Undefined: only `localhost`. */
  readonly domain: string | undefined;
  readonly now?: () => number;
}

const HOUR_MS = 60 * 60_000;
/** Open requests and WebSockets of one workspace. */
const MAX_OPEN = 256;

/**
 * Shows ports of workspaces to browsers, each at a host name of its own. The name is signed: it names the workspace and
 * the port, expires, and needs no other credential, so that none of chatd's is ever sent there. Nothing else is served at
 * these names.
 */
export class Previews {
  readonly #options: PreviewsOptions;
  /** By workspace. The count includes connections that are being opened. */
  readonly #open = new Map<string, { readonly sockets: Set<Duplex>; count: number }>();

  constructor(options: PreviewsOptions) {
    this.#options = options;
  }

  /** The same URL for an hour, so that a page keeps its storage. */
  create(exchange: Exchange, workspaceId: string, port: number): { url: string; expiresAt: Date } {
    const { keys, now = Date.now } = this.#options;
    const [key] = keys;
    if (key === undefined)
      throw new Refused('secret_key_required', 'Previews require CHATD_SECRET_KEY.');
    const base = this.#baseOf(exchange);
    const expiresAt = Math.ceil(now() / HOUR_MS) * HOUR_MS + HOUR_MS;
    const label = signLabel(key, { workspaceId, port, expiresAt });
    const scheme = exchange.secure ? 'https' : 'http';
    return { url: `${scheme}://${label}.${base}/`, expiresAt: new Date(expiresAt) };
  }

  /** Answers a request to the host name of a preview. False: it is another one. */
  answer(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const label = this.#labelOf(incoming);
    if (label === undefined) return false;
    const fail = (error: unknown) => {
      if (outgoing.headersSent) return void outgoing.destroy();
      const { status, content } = failure(error);
      outgoing.writeHead(status, { ...FAILURE_HEADERS, connection: 'close' }).end(content);
    };
    this.#forward(label, incoming, (upstream, port) => {
      outgoing.once('close', () => upstream.destroy());
      const invalid = (socket: Duplex) => {
        socket.destroy();
        fail(new Refused('port_unavailable', `Port ${port} sent an invalid response.`));
      };
      upstream.once('response', (response) => {
        const status = response.statusCode ?? 0;
        if (status < 200) return invalid(response.socket);
        // With the standard reason: that of the program can have characters that Node refuses to write.
        outgoing.writeHead(status, responseHeaders(response, port).flat());
        pipeline(response, outgoing, () => undefined);
      });
      upstream.once('upgrade', (_response, inner) => invalid(inner));
      pipeline(incoming, upstream, () => undefined);
    }).catch(fail);
    return true;
  }

  /** The same for a WebSocket. */
  answerUpgrade(incoming: IncomingMessage, socket: Socket, head: Buffer): boolean {
    const label = this.#labelOf(incoming);
    if (label === undefined) return false;
    socket.on('error', () => socket.destroy());
    this.#forward(label, incoming, (upstream, port) => {
      socket.once('close', () => upstream.destroy());
      upstream.once('upgrade', (response, inner, first) => {
        const head101 = headOf(response, port, ['connection: Upgrade', 'upgrade: websocket']);
        socket.write(head101, 'latin1');
        socket.write(first);
        inner.write(head);
        pipeline(socket, inner, socket, () => undefined);
      });
      upstream.once('response', (response) => {
        socket.write(headOf(response, port, ['connection: close']), 'latin1');
        pipeline(response, socket, () => undefined);
      });
      upstream.setHeader('connection', 'Upgrade');
      upstream.setHeader('upgrade', incoming.headers.upgrade ?? 'websocket');
      upstream.end();
    }).catch((error: unknown) => {
      const { status, content } = failure(error);
      const length = Buffer.byteLength(content);
      socket.end(
        `HTTP/1.1 ${status} Failed\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n${content}`,
      );
    });
    return true;
  }

  /** Closes all connections to workspaces. */
  disconnectAll(): void {
    for (const { sockets } of this.#open.values()) for (const socket of sockets) socket.destroy();
  }

  #baseOf(exchange: Exchange): string {
    const { domain } = this.#options;
    if (domain !== undefined) return domain;
    const [, name = '', port = ''] = /^(.*?)(:\d+)?$/.exec(exchange.header('host') ?? '') ?? [];
    if (isLoopback(name.replaceAll(/[[\]]/g, ''))) return `localhost${port}`;
    throw new Refused(
      'previews_unavailable',
      'Previews require a domain of their own. Set CHATD_PREVIEW_DOMAIN, or open chatd at a loopback address.',
    );
  }

  /** Undefined: not the host name of a preview. */
  #labelOf({ headers }: IncomingMessage): string | undefined {
    const [, label, base] = /^([a-z2-7]{61})\.([^:]+)(?::\d+)?$/i.exec(headers.host ?? '') ?? [];
    const own = ['localhost', this.#options.domain?.replace(/:\d+$/, '')];
    return own.includes(base?.toLowerCase()) ? label?.toLowerCase() : undefined;
  }

  /** Calls `send` with a request to the program. Rejects if there is no response. */
  async #forward(
    label: string,
    incoming: IncomingMessage,
    send: (upstream: ClientRequest, port: number) => void,
  ): Promise<void> {
    const claim = await this.#claimOf(label);
    const { port } = claim;
    const socket = await this.#connect(claim);
    if (incoming.socket.destroyed) return void socket.destroy();
    const upstream = requestOver(socket, incoming, port);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    upstream.on('error', (error) => reject(noResponse(port, error)));
    upstream.once('response', () => resolve());
    upstream.once('upgrade', () => resolve());
    upstream.once('close', () => resolve());
    send(upstream, port);
    await promise;
  }

  async #claimOf(label: string): Promise<PreviewClaim> {
    const { keys, workspaces, database, now = Date.now } = this.#options;
    const claim = readLabel(keys, label, now());
    const row = claim && (await workspaces.find(claim.workspaceId));
    const [owner] = row === undefined ? [] : await database.query(findUser, { id: row.owner_id });
    if (claim === undefined || owner === undefined || owner.suspended) {
      throw new Refused(
        'not_found',
        'The link to this preview is invalid or has expired. Open the port again in chatd.',
      );
    }
    return claim;
  }

  async #connect({ workspaceId, port, expiresAt }: PreviewClaim): Promise<Duplex> {
    const { workspaces, now = Date.now } = this.#options;
    const workspace = await workspaces.use(workspaceId);
    workspaces.used(workspaceId);
    const open = this.#open.get(workspaceId) ?? { sockets: new Set(), count: 0 };
    if (open.count >= MAX_OPEN) {
      throw new Refused('too_many_requests', `The workspace has ${MAX_OPEN} open connections.`);
    }
    this.#open.set(workspaceId, open);
    open.count += 1;
    const release = () => {
      open.count -= 1;
      if (open.count === 0) this.#open.delete(workspaceId);
    };
    const connecting = portRefused(
      connectionSocket((handlers) => workspace.ports.connect(port, handlers)),
    );
    connecting.catch(release);
    const socket = await connecting;
    open.sockets.add(socket);
    const expiry = setTimeout(() => socket.destroy(), expiresAt - now()).unref();
    socket.once('close', () => {
      clearTimeout(expiry);
      open.sockets.delete(socket);
      release();
    });
    socket.on('error', () => undefined);
    return socket;
  }
}

function requestOver(socket: Duplex, incoming: IncomingMessage, port: number): ClientRequest {
  try {
    return request({
      method: incoming.method ?? 'GET',
      path: incoming.url ?? '/',
      headers: requestHeaders(incoming, port),
      setHost: false,
      createConnection: () => socket,
    });
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

const noResponse = (port: number, error: Error) =>
  new Refused('port_unavailable', `Port ${port} did not respond: ${error.message}.`);

const headOf = (response: IncomingMessage, port: number, more: readonly string[]) =>
  [
    `HTTP/1.1 ${response.statusCode} ${response.statusMessage}`,
    ...responseHeaders(response, port).map(([name, value]) => `${name}: ${value}`),
    ...more,
    '',
    '',
  ].join('\r\n');

const FAILURE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'`,
  'cache-control': 'no-store',
};

/** Plain: nothing but the program is served at this host name, so there is nothing to load. */
function failure(error: unknown): { readonly status: number; readonly content: string } {
  const { status, body } = asProblem(error);
  const detail = body.detail.replaceAll(/[&<>]/g, (one) => `&#${one.charCodeAt(0)};`);
  return {
    status: body.code === 'port_unavailable' ? 502 : status,
    content: `<!doctype html>\n<meta charset="utf-8">\n<title>Preview not available</title>\n<h1>Preview not available</h1>\n<p>${detail}</p>\n`,
  };
}
