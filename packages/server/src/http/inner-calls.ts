import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { API_PREFIX, type RouteName, routes } from '@chatd/protocol';
import { Exchange } from './exchange.ts';
import type { Serve } from './serve.ts';
import type { Services } from './services.ts';

export interface InnerInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** JSON, or the bytes of a file. */
  readonly body?: unknown;
  readonly file?: { readonly mediaType: string; readonly bytes: Buffer };
  readonly accept?: string;
  readonly idempotencyKey?: string;
  /** Identifies a repeated request instead of the body, which may differ. */
  readonly identity?: Buffer;
}

/** Performs a call of the API. Throws errors for `problem.ts`. */
export type InnerCall = (name: RouteName, input: InnerInput) => ReturnType<Serve>;

/** Calls of the API on the connection of another request, with its token, within the same limits. */
export const innerCalls =
  (services: Services, serves: Readonly<Record<RouteName, Serve>>, outer: Exchange): InnerCall =>
  async (name, input) =>
    await serves[name](services, innerExchange(services, outer, name, input), input.params ?? {});

function innerExchange(
  { log, proxies }: Services,
  { incoming: outer }: Exchange,
  name: RouteName,
  { params = {}, query = {}, body, file, accept, idempotencyKey, identity }: InnerInput,
): Exchange {
  const { method, path } = routes[name];
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  const bytes = file?.bytes ?? (body === undefined ? undefined : Buffer.from(JSON.stringify(body)));
  const { host, authorization, 'x-forwarded-for': forwarded } = outer.headers;
  const incoming = Object.assign(Readable.from(bytes === undefined ? [] : [bytes]), {
    method: method.toUpperCase(),
    url: `${API_PREFIX}${filled}?${new URLSearchParams(Object.fromEntries(given)).toString()}`,
    headers: {
      host,
      authorization,
      'x-forwarded-for': forwarded,
      'content-type': file?.mediaType ?? 'application/json',
      'content-length': String(bytes?.length ?? 0),
      ...(accept !== undefined && { accept }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    socket: outer.socket,
  });
  return new Exchange(incoming as unknown as IncomingMessage, log, proxies, identity);
}

/** The body of a response: JSON, text, or null if it is empty. */
export async function bodyOfInner(response: Awaited<ReturnType<Serve>>): Promise<unknown> {
  if (!(response instanceof Response)) throw new Error('The call does not return a response.');
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return text === '' ? null : isJson ? JSON.parse(text) : text;
}
