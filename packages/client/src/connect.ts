import { type Clock, systemClock } from '@chatd/protocol/clock';
import type { Connection, Fetch, Token } from './connection.ts';

/** Where the server is, who you are, and how calls are made; all of it may be left out. */
export interface ClientOptions {
  /** Where the server is. The page's own origin in a browser, else `http://127.0.0.1:7717`, unless told. */
  readonly url?: string | URL | undefined;
  /** An API token. A page that is signed in by its session cookie needs none. */
  readonly token?: Token | undefined;
  /** Another `fetch`, to go through a proxy or to look at what goes over the line. */
  readonly fetch?: Fetch | undefined;
  /** How often a call that can be made again safely is made again when the server is away; 3 unless told. */
  readonly retries?: number | undefined;
  /** How long a call may take; two minutes unless told. Streams have no end, and no limit. */
  readonly timeoutMs?: number | undefined;
  /** Time, for tests. */
  readonly clock?: Clock | undefined;
  /** Chance, for tests: from 0 to, but not including, 1. */
  readonly random?: (() => number) | undefined;
  /** A new idempotency key, for tests. */
  readonly newKey?: (() => string) | undefined;
}

/** What is not told, as it is usual. */
export function connectionOf(options: ClientOptions): Connection {
  return {
    url: String(options.url ?? defaultUrl()).replace(/\/+$/, ''),
    token: options.token,
    // Looked up for every call, and called as a method of nothing else: browsers insist.
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

/** `randomUUID` would do, were it there on pages without TLS. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
