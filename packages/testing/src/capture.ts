import type { IncomingMessage } from 'node:http';
import type { WireRequest } from './dialect.ts';
import type { JsonObject } from './json.ts';
import type { Ended } from './perform.ts';
import { text } from 'node:stream/consumers';
import { asObject } from './json.ts';

/** A received request. */
export interface CapturedRequest extends WireRequest {
  /** Index among the requests of this provider, starting at 0. */
  index: number;
  /** Arrival time, by the provider's clock. */
  at: number;
  /** How the client ended the response. */
  ended: Promise<Ended>;
}

/** Reads a whole request. */
export async function readRequest(incoming: IncomingMessage): Promise<WireRequest> {
  const { method = 'GET', url = '/' } = incoming;
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  const raw = await text(incoming).catch(() => '');
  return wireRequest(method, new URL(url, 'http://localhost'), headers, raw);
}

/** A body that is not a JSON object counts as an empty one. */
export function wireRequest(
  method: string,
  url: string | URL,
  headers: Iterable<[string, string]>,
  raw: string,
): WireRequest {
  const { pathname, search } = new URL(url);
  return {
    method,
    path: pathname,
    query: search.slice(1),
    headers: Object.fromEntries(headers),
    body: parsed(raw),
    raw,
  };
}

function parsed(raw: string): JsonObject {
  try {
    return asObject(JSON.parse(raw));
  } catch {
    return {};
  }
}
