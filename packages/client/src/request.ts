import type { Bytes } from './call.ts';
import { type RouteRow, has } from './routes.ts';

const PREFIX = '/api/v1';

type Word = string | number | boolean | undefined;

export interface AnyInput {
  readonly params?: Readonly<Record<string, Word>> | undefined;
  readonly query?: Readonly<Record<string, Word>> | undefined;
  readonly body?: unknown;
  readonly contentType?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly idempotencyKey?: string | undefined;
  /** True if a repeated request has no further effect, although it is not a GET. */
  readonly repeatable?: boolean | undefined;
}

export function urlOf(
  base: string,
  [, path]: RouteRow,
  { params = {}, query = {} }: AnyInput,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    // An empty parameter would change the path to another operation.
    if (value === undefined || value === '') throw new TypeError(`${name} is missing`);
    return encodeURIComponent(String(value));
  });
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return `${base}${PREFIX}${filled}${search === '' ? '' : `?${search}`}`;
}

export interface Payload {
  readonly body?: Bytes;
  readonly headers: Readonly<Record<string, string>>;
}

/** JSON, or raw bytes. */
export function payloadOf(row: RouteRow, { body, contentType }: AnyInput): Payload {
  if (body === undefined) return { headers: {} };
  if (!has(row, 'bytes')) {
    return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  }
  const bytes = body as Bytes;
  const type = contentType ?? (bytes instanceof Blob && bytes.type !== '' ? bytes.type : undefined);
  return { body: bytes, headers: { 'content-type': type ?? 'application/octet-stream' } };
}
