import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { Credentials } from '../auth/authenticate.ts';
import type { TrustedProxies } from '../auth/trusted-proxies.ts';
import { type Upgrade, upgradeOf } from './sockets/upgrade.ts';

/** One HTTP request. */
export class Exchange {
  readonly id = randomUUID();
  readonly incoming: IncomingMessage;
  readonly log: Logger;
  /** Without the query, which may hold a secret (a sign-in link) and must not be logged. */
  readonly path: string;
  readonly search: string;
  /** The response headers that state the rate limits of the caller. */
  rateLimit: Readonly<Record<string, string>> = {};
  /** Identifies a repeated request instead of the body. Default: the body. */
  readonly identity: Buffer | undefined;
  readonly #proxies: TrustedProxies;

  constructor(incoming: IncomingMessage, log: Logger, proxies: TrustedProxies, identity?: Buffer) {
    this.incoming = incoming;
    this.identity = identity;
    this.#proxies = proxies;
    // An absolute-form target names a host, which is ignored.
    const target = (incoming.url ?? '/').replace(/^[a-z]+:\/\/[^/?#]*/i, '');
    const query = target.indexOf('?');
    this.path = query === -1 ? target : target.slice(0, query);
    this.search = query === -1 ? '' : target.slice(query);
    this.log = log.child({ request_id: this.id });
  }

  get method(): string {
    return this.incoming.method ?? 'GET';
  }

  /** Set when the client asks for a WebSocket. */
  get upgrade(): Upgrade | undefined {
    return upgradeOf(this.incoming);
  }

  /** The client has closed the connection. */
  get isGone(): boolean {
    return this.incoming.socket.destroyed;
  }

  /** Undefined: the client does not announce the size of the body. */
  get contentLength(): number | undefined {
    const announced = this.header('content-length');
    return announced === undefined ? undefined : Number(announced);
  }

  get credentials(): Credentials {
    const isRead = this.method === 'GET' || this.method === 'HEAD';
    return {
      authorization: this.header('authorization'),
      cookie: this.header('cookie'),
      host: this.header('host'),
      origin: this.header('origin'),
      secFetchSite: this.header('sec-fetch-site'),
      ownOrigin: this.origin,
      needsOwnOrigin: !isRead || this.upgrade !== undefined,
    };
  }

  header(name: string): string | undefined {
    const value = this.incoming.headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  /** The address of the client. `X-Forwarded-For` counts only from trusted proxies. */
  get address(): string {
    return this.#proxies.clientOf(this.#peer, this.header('x-forwarded-for'));
  }

  /**
   * Whether the client uses TLS, as the proxy reports. Without `CHATD_TRUSTED_PROXIES` any client can claim it: a false
   * claim affects only its own cookie.
   */
  get secure(): boolean {
    if (!this.#proxies.trustsProtocolOf(this.#peer)) return false;
    return this.header('x-forwarded-proto')?.split(',')[0]?.trim() === 'https';
  }

  get #peer(): string {
    return this.incoming.socket.remoteAddress ?? '';
  }

  /** The origin of our own pages, as the browser sees it. The Host header was checked. */
  get origin(): string {
    return `${this.secure ? 'https' : 'http'}://${this.header('host') ?? ''}`;
  }
}

/** Cookies do not count: the pages of other sites could use them. */
export const tokenOnly = ({ credentials }: Exchange): Credentials => ({
  ...credentials,
  cookie: undefined,
});
