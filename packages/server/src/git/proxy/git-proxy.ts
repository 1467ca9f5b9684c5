import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import { type Dispatcher, request } from 'undici';
import { Refused } from '../../chat/refused.ts';
import { refusalIn } from '../../providers/fetch/refusals.ts';
import { allowedGitPushes, type GitConnectionRow } from '../../store/queries/git.ts';
import type { Queryable } from '../../store/statement.ts';
import type { GitConnections } from '../connections.ts';
import { allowsRepository, type GitRequest, parseGitRequest } from './git-request.ts';
import { InvalidPush, type PushCommand, readPushCommands } from './push-commands.ts';

/** The workspace that a request comes from. */
export interface ProxiedWorkspace {
  readonly id: string;
  readonly owner_id: string;
}

export interface GitProxyOptions {
  readonly database: Queryable;
  readonly connections: Pick<GitConnections, 'find' | 'token' | 'refused'>;
  /** Checks the address of each connection. */
  readonly dispatcher: Dispatcher;
  readonly log: Logger;
}

/** Nothing else goes to the host or comes back: no credentials, no cookies. */
const REQUEST_HEADERS = [
  'accept',
  'content-type',
  'content-encoding',
  'content-length',
  'git-protocol',
  'user-agent',
];
const RESPONSE_HEADERS = ['content-type', 'content-encoding', 'cache-control', 'expires', 'pragma'];
/** Never allowed: a workspace can name any commit to push. */
const DELETED = /^0+$/;
/** Open requests of one workspace. */
const MAX_OPEN = 32;

/** The request is refused. git shows the message. */
class ProxyRefusal extends Error {
  override readonly name = 'ProxyRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Forwards git's smart HTTP protocol from workspaces to the hosts that their owners have connected, with the tokens of
 * the connections. Only pushes that a user made or approved are forwarded, and only to the approved commit.
 */
export class GitProxy {
  readonly #options: GitProxyOptions;
  readonly #open = new Map<string, number>();

  constructor(options: GitProxyOptions) {
    this.#options = options;
  }

  async answer(
    workspace: ProxiedWorkspace,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> {
    const open = (this.#open.get(workspace.id) ?? 0) + 1;
    this.#open.set(workspace.id, open);
    try {
      if (open > MAX_OPEN) throw new ProxyRefusal(429, 'Too many git requests at the same time.');
      await this.#forward(workspace, incoming, outgoing);
    } catch (error) {
      this.#fail(workspace, error, outgoing);
    } finally {
      const left = (this.#open.get(workspace.id) ?? 1) - 1;
      if (left > 0) this.#open.set(workspace.id, left);
      else this.#open.delete(workspace.id);
    }
  }

  async #forward(
    workspace: ProxiedWorkspace,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> {
    const asked = parseGitRequest(incoming.method ?? '', incoming.url ?? '');
    if (asked === undefined)
      throw new ProxyRefusal(403, 'Only clone, fetch, and push over smart HTTP are supported.');
    const { connections, dispatcher } = this.#options;
    const connection = await connections.find(workspace.owner_id, asked.host);
    if (connection === undefined)
      throw new ProxyRefusal(403, `${asked.host} is not connected to chatd.`);
    if (!allowsRepository(connection.repositories, asked.repository))
      throw new ProxyRefusal(
        403,
        `The connection to ${asked.host} does not allow the repository ${asked.repository}.`,
      );
    const body = await this.#checkedBody(workspace, asked, incoming);
    const access = asked.service === 'git-receive-pack' ? 'write' : 'read';
    const token = await connections.token(connection, asked.repository, access);
    const canceled = new AbortController();
    outgoing.once('close', () => canceled.abort(new Error('git has closed the connection')));
    const answer = await request(`https://${asked.host}${asked.path}`, {
      dispatcher,
      method: asked.isAdvertisement ? 'GET' : 'POST',
      headers: {
        ...picked(incoming.headers, REQUEST_HEADERS),
        authorization: basic(connection.username, token),
      },
      body: body ?? null,
      signal: canceled.signal,
    });
    answer.body.on('error', () => undefined);
    const { statusCode: status, headers } = answer;
    if (status >= 300) answer.body.destroy();
    if (status >= 300 && status < 400) {
      const location = locationWithin(asked.host, headers['location']);
      outgoing.writeHead(status, { location }).end();
      return;
    }
    if (status >= 400) {
      connections.refused(connection, asked.repository);
      throw refusedBy(connection, asked, status);
    }
    outgoing.writeHead(status, picked(headers, RESPONSE_HEADERS));
    await pipeline(answer.body, outgoing);
  }

  /** The body to send. A push is sent only if all its commands are allowed. */
  async #checkedBody(
    workspace: ProxiedWorkspace,
    asked: GitRequest,
    incoming: IncomingMessage,
  ): Promise<Readable | undefined> {
    if (asked.service === 'git-upload-pack') return asked.isAdvertisement ? undefined : incoming;
    const { host, repository } = asked;
    const allowed = await this.#options.database.query(allowedGitPushes, {
      workspace_id: workspace.id,
      host,
      repository: repository.toLowerCase(),
    });
    if (allowed.length === 0) throw notApproved(repository);
    if (asked.isAdvertisement) return undefined;
    if (incoming.headers['content-encoding'] !== undefined)
      throw new ProxyRefusal(415, 'Compressed pushes are not supported.');
    const { commands, head } = await readPushCommands(incoming);
    const isAllowed = ({ ref, commit }: PushCommand) =>
      !DELETED.test(commit) && allowed.some((push) => push.ref === ref && push.commit === commit);
    if (!commands.every(isAllowed)) throw notApproved(repository);
    const body = new PassThrough();
    body.write(head);
    pipeline(incoming, body).catch((error: unknown) => body.destroy(error as Error));
    return body;
  }

  #fail(workspace: ProxiedWorkspace, error: unknown, outgoing: ServerResponse): void {
    if (outgoing.headersSent || outgoing.destroyed) return void outgoing.destroy();
    const { status, message } = explained(error);
    if (status >= 500)
      this.#options.log.warn({ workspace_id: workspace.id, err: error }, 'git request failed');
    // The rest of the request is not read.
    outgoing.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
    outgoing.end(`${message}\n`);
  }
}

const basic = (username: string, token: string) =>
  `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`;

const notApproved = (repository: string) =>
  new ProxyRefusal(
    403,
    `Pushing to ${repository} requires an approval. Use the tool git_push instead of git push.`,
  );

function picked(
  headers: IncomingMessage['headers'],
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}

/** A redirect within the host, such as that of a renamed repository, stays in the proxy. */
function locationWithin(host: string, location: string | string[] | undefined): string {
  const text = typeof location === 'string' ? location : '';
  const target = URL.canParse(text, `https://${host}`)
    ? new URL(text, `https://${host}`)
    : undefined;
  if (target?.protocol === 'https:' && target.host === host)
    return `/${host}${target.pathname}${target.search}`;
  throw new ProxyRefusal(502, `${host} redirects to another host, which is not followed.`);
}

function refusedBy(
  { host }: GitConnectionRow,
  { repository, service }: GitRequest,
  status: number,
): ProxyRefusal {
  if (status === 404)
    return new ProxyRefusal(
      404,
      `${host} has no repository ${repository}, or the token cannot access it.`,
    );
  // Not 401: git would ask for a password.
  if (status === 401 || status === 403) {
    const right = service === 'git-receive-pack' ? 'write to' : 'read';
    return new ProxyRefusal(
      403,
      `${host} refused the token (${status}). Connect ${host} again with a token that can ${right} ${repository}.`,
    );
  }
  return new ProxyRefusal(502, `${host} responded with the status ${status}.`);
}

function explained(error: unknown): { status: number; message: string } {
  if (error instanceof ProxyRefusal) return error;
  if (error instanceof Refused) return { status: 403, message: error.message };
  if (error instanceof InvalidPush) return { status: 400, message: error.message };
  const refusal = refusalIn(error);
  if (refusal !== undefined) return { status: 403, message: refusal.message };
  const why = error instanceof Error ? error.message : String(error);
  return { status: 502, message: `The git host cannot be reached: ${why}` };
}
