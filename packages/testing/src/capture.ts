import type { IncomingMessage } from 'node:http';
import type { WireRequest } from './dialect.ts';
import type { Ended } from './perform.ts';
import { text } from 'node:stream/consumers';
import { isJson, isObject } from './json.ts';

/** A request as it arrived. */
export interface CapturedRequest extends WireRequest {
  /** Its place among the requests of this provider, from 0. */
  index: number;
  /** When it had arrived, by the provider's clock. */
  at: number;
  /** How the client ended the response to it. */
  ended: Promise<Ended>;
}

/** Reads a request whole. A body that is no JSON object is an empty one. */
export async function readRequest(incoming: IncomingMessage): Promise<WireRequest> {
  const url = new URL(incoming.url ?? '/', 'http://localhost');
  const raw = await text(incoming).catch(() => '');
  const body: unknown = isJson(raw) ? JSON.parse(raw) : undefined;
  const headers = Object.entries(incoming.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return {
    method: incoming.method ?? 'GET',
    path: url.pathname,
    query: url.search.slice(1),
    headers: Object.fromEntries(headers),
    body: isObject(body) ? body : {},
    raw,
  };
}
