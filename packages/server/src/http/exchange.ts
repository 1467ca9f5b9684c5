import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { TrustedProxies } from '../auth/trusted-proxies.ts';
import { type Upgrade, upgradeOf } from './upgrade.ts';

/** One request, as it came in. */
export class Exchange {
  readonly id = randomUUID();
  readonly incoming: IncomingMessage;
  readonly log: Logger;
  /** Without the query: that may hold a secret (a sign-in link), and is not for logs. */
  readonly path: string;
  readonly search: string;
  readonly #proxies: TrustedProxies;

  constructor(incoming: IncomingMessage, log: Logger, proxies: TrustedProxies) {
    this.incoming = incoming;
    this.#proxies = proxies;
    // An absolute-form target names a host of its own; only what comes after it counts.
    const target = (incoming.url ?? '/').replace(/^[a-z]+:\/\/[^/?#]*/i, '');
    const query = target.indexOf('?');
    this.path = query === -1 ? target : target.slice(0, query);
    this.search = query === -1 ? '' : target.slice(query);
    this.log = log.child({ request_id: this.id });
  }

  get method(): string {
    return this.incoming.method ?? 'GET';
  }

  /** The client asks to go on with a WebSocket. */
  get upgrade(): Upgrade | undefined {
    return upgradeOf(this.incoming);
  }

  /** The client has closed the connection. */
  get isGone(): boolean {
    return this.incoming.socket.destroyed;
  }

  get changesSomething(): boolean {
    return this.method !== 'GET' && this.method !== 'HEAD';
  }

  header(name: string): string | undefined {
    const value = this.incoming.headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  /** Of the client, as far as proxies that are trusted say so. */
  get address(): string {
    return this.#proxies.clientOf(this.#peer, this.header('x-forwarded-for'));
  }

  /** A proxy in front that speaks TLS says so. Believing a liar, where no proxies are named, costs only his own cookie. */
  get secure(): boolean {
    if (!this.#proxies.believes(this.#peer)) return false;
    return this.header('x-forwarded-proto')?.split(',')[0]?.trim() === 'https';
  }

  get #peer(): string {
    return this.incoming.socket.remoteAddress ?? '';
  }

  /** Of our own pages, as the browser sees it. The Host was checked. */
  get origin(): string {
    return `${this.secure ? 'https' : 'http'}://${this.header('host') ?? ''}`;
  }
}
