import type { CallAnswer, CallArguments, CallName } from './call.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Connection, Fetch, Token } from './connection.ts';
import { perform } from './perform.ts';
import type { AnyInput } from './request.ts';
import { ROUTES } from './routes.ts';

export interface ClientOptions {
  /** Where the server is. The page's own origin in a browser, else `http://127.0.0.1:7717`, unless told. */
  readonly url?: string | URL | undefined;
  /** An API token. A page that is signed in by its session cookie needs none. */
  readonly token?: Token | undefined;
  readonly fetch?: Fetch | undefined;
  /** How often a call that can be made again safely is made again when the server is away; 3 unless told. */
  readonly retries?: number | undefined;
  /** How long a call may take; two minutes unless told. Streams have no end, and no limit. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** From 0 to, but not including, 1. */
  readonly random?: (() => number) | undefined;
  readonly newKey?: (() => string) | undefined;
}

/** chatd, from code. */
export interface Client {
  /** Without a slash at its end. */
  readonly url: string;
  /**
   * Makes a call of the API by its name. Throws `ChatdProblem` when the server refuses, `ChatdUnreachable` when there
   * is no answer, and the signal's reason when it is aborted.
   */
  call<Name extends CallName>(name: Name, ...args: CallArguments<Name>): Promise<CallAnswer<Name>>;
}

export function createClient(options: ClientOptions = {}): Client {
  const connection = connectionOf(options);
  return {
    url: connection.url,
    async call<Name extends CallName>(name: Name, ...[input]: CallArguments<Name>) {
      // The table that typed the call is the one that the server answers by.
      return (await perform(
        connection,
        ROUTES[name],
        (input ?? {}) as AnyInput,
      )) as CallAnswer<Name>;
    },
  };
}

function connectionOf(options: ClientOptions): Connection {
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
