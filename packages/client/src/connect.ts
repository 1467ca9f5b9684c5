import { type Clock, systemClock } from '@chatd/protocol/clock';
import type { Connection, Fetch, Token } from './connection.ts';

/** Options of `createClient`. All are optional. */
export interface ClientOptions {
  /** URL of the server. Default: the page's origin in a browser, else `http://127.0.0.1:7717`. */
  readonly url?: string | URL | undefined;
  /** API token. Not needed in a page with a session cookie. */
  readonly token?: Token | undefined;
  /** Replaces `fetch`, for example to use a proxy or to log requests. */
  readonly fetch?: Fetch | undefined;
  /** Max number of retries for calls that are safe to repeat. Default: 3. */
  readonly retries?: number | undefined;
  /** Timeout of a call in milliseconds. Default: two minutes. Streams have no timeout. */
  readonly timeoutMs?: number | undefined;
  /** Clock, for tests. */
  readonly clock?: Clock | undefined;
  /** Random numbers in [0, 1), for tests. */
  readonly random?: (() => number) | undefined;
  /** Generates idempotency keys, for tests. */
  readonly newKey?: (() => string) | undefined;
}

/** Fills in the defaults. */
export function connectionOf(options: ClientOptions): Connection {
  return {
    url: String(options.url ?? defaultUrl()).replace(/\/+$/, ''),
    token: options.token,
    // Looked up for every call, and called without a receiver, as browsers require.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    newKey: options.newKey ?? randomKey,
    retries: options.retries ?? 3,
    timeoutMs: options.timeoutMs ?? 120_000,
  };
}

function defaultUrl(): string {
  const { location } = globalThis as { readonly location?: { readonly origin?: string } };
  const origin = location?.origin;
  return origin?.startsWith('http') === true ? origin : 'http://127.0.0.1:7717';
}

/** `randomUUID` is not available on pages without TLS. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
