import type { IncomingMessage } from 'node:http';
import { HOP_HEADERS } from '../../machine/drivers/network/hop-headers.ts';

type HeaderList = (readonly [name: string, value: string])[];

/** Not forwarded: headers of one connection, and a header that Node sets. */
const OF_CONNECTION: ReadonlySet<string> = new Set([...HOP_HEADERS, 'expect']);

/** The origin as the program sees it: its own port of "localhost", which development servers accept. */
const inside = (port: number) => `localhost:${port}`;

/** The headers of a request for the program in the workspace. */
export function requestHeaders(incoming: IncomingMessage, port: number): Record<string, string[]> {
  const host = incoming.headers.host ?? '';
  // Without a prototype: a header can be named "constructor".
  const headers = Object.create(null) as Record<string, string[]>;
  for (const [name, value] of pairsOf(incoming)) {
    if (OF_CONNECTION.has(name) || /^(host|forwarded|x-forwarded-.*|x-real-ip)$/.test(name))
      continue;
    const isOwn = name === 'origin' || name === 'referer';
    const sent = isOwn ? value.replace(/^https?:\/\/[^/]+/, rebased(host, port)) : value;
    (headers[name] ??= []).push(sent);
  }
  headers['host'] = [inside(port)];
  headers['x-forwarded-host'] = [host];
  if (incoming.headers['transfer-encoding'] !== undefined)
    headers['transfer-encoding'] = ['chunked'];
  return headers;
}

const rebased = (host: string, port: number) => (origin: string) =>
  origin.endsWith(`//${host}`) ? `http://${inside(port)}` : origin;

/** The label of the host name is a secret: no other site learns it. */
const ALWAYS: HeaderList = [
  ['referrer-policy', 'same-origin'],
  ['origin-agent-cluster', '?1'],
  ['x-content-type-options', 'nosniff'],
];

const DROPPED = new Set([
  ...ALWAYS.map(([name]) => name),
  // The web UI shows the page in a frame.
  'x-frame-options',
  // They would concern the whole host, also after the preview.
  'strict-transport-security',
  'alt-svc',
]);

/** The headers of a response of the program, for the browser. */
export function responseHeaders(response: IncomingMessage, port: number): HeaderList {
  const kept = pairsOf(response)
    .filter(([name]) => !OF_CONNECTION.has(name) && !DROPPED.has(name))
    .map(([name, value]): HeaderList[number] => {
      if (name === 'set-cookie') return [name, value.replaceAll(/;\s*domain\s*=[^;]*/gi, '')];
      return name === 'location' ? [name, withoutOrigin(value, port)] : [name, value];
    });
  return [...kept, ...ALWAYS];
}

/** A redirect to the program itself stays in the preview. */
const withoutOrigin = (location: string, port: number): string =>
  location.replace(
    new RegExp(String.raw`^https?://(?:localhost|127\.0\.0\.1|\[::1\]):${port}(?=/|\?|#|$)`, 'i'),
    '',
  ) || '/';

function pairsOf({ rawHeaders }: IncomingMessage): HeaderList {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    pairs.push([(rawHeaders[at] ?? '').toLowerCase(), rawHeaders[at + 1] ?? '']);
  return pairs;
}
