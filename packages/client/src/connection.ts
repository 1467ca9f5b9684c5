import type { Clock } from '@chatd/protocol/clock';

/** What every call is made with. */
export interface Connection {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: Token | undefined;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** From 0 to, but not including, 1. */
  readonly random: () => number;
  readonly newKey: () => string;
  readonly retries: number;
  readonly timeoutMs: number;
}

/** A function is asked before every request: it can renew what expires. */
export type Token = string | (() => string | Promise<string>);

/** As much of `fetch` as is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export async function authorization({ token }: Connection): Promise<Record<string, string>> {
  if (token === undefined) return {};
  return { authorization: `Bearer ${typeof token === 'string' ? token : await token()}` };
}
