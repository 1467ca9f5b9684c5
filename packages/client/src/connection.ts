import type { Clock } from '@chatd/protocol/clock';

/** The resolved options of a client. */
export interface Connection {
  /** Without a trailing slash. */
  readonly url: string;
  readonly token: Token | undefined;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** A random number in [0, 1). */
  readonly random: () => number;
  readonly newKey: () => string;
  readonly retries: number;
  readonly timeoutMs: number;
}

/** A function is called before every request, so that it can renew an expired token. */
export type Token = string | (() => string | Promise<string>);

/** The subset of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export async function authorization({ token }: Connection): Promise<Record<string, string>> {
  if (token === undefined) return {};
  return { authorization: `Bearer ${typeof token === 'string' ? token : await token()}` };
}
