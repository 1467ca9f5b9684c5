import { lookup } from 'node:dns/promises';
import { type Reach, reachOf } from './address.ts';

/** Why a URL is not allowed. The message is for users. */
export class UrlNotAllowed extends Error {
  override readonly name = 'UrlNotAllowed';
}

export interface Resolved {
  readonly address: string;
}
export type Resolve = (host: string) => Promise<readonly Resolved[]>;

const system: Resolve = (host) => lookup(host, { all: true });

/** Less than a transaction may be idle. */
const RESOLVE_MS = 5000;

export const checkReach = (reach: Reach, host: string, allowPrivate: boolean): void => {
  if (reach === 'forbidden') {
    throw new UrlNotAllowed(`${host} resolves to an address that is always blocked.`);
  }
  if (reach === 'private' && !allowPrivate) {
    throw new UrlNotAllowed(
      `${host} resolves to a private address. To allow private addresses, set CHATD_ALLOW_PRIVATE_URLS=1 or the setting allow_private_urls.`,
    );
  }
};

/** Checks that need only the text of a URL. */
function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new UrlNotAllowed('It must be an http or https URL.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new UrlNotAllowed(
      'It must not contain a user name or password. Keys are stored separately.',
    );
  }
  return url;
}

/**
 * Checks where a URL currently leads when it is configured. Names that do not resolve in time pass, because every
 * connection is checked again.
 */
export async function checkUrl(
  text: string,
  allowPrivate: boolean,
  resolve: Resolve = system,
): Promise<void> {
  const { search, hash } = parseUrl(text);
  if (search !== '' || hash !== '') {
    throw new UrlNotAllowed('It must not contain a query or a fragment.');
  }
  await checkDestination(text, allowPrivate, resolve);
}

/** The same, for URLs that may contain a query or a fragment. */
export async function checkDestination(
  text: string,
  allowPrivate: boolean,
  resolve: Resolve = system,
): Promise<void> {
  // The parser normalizes all spellings of an address: decimal, octal, full-width digits.
  const { hostname } = parseUrl(text);
  const literal = reachOf(hostname);
  if (literal !== undefined) return checkReach(literal, hostname, allowPrivate);
  const { promise: late, resolve: giveUp } = Promise.withResolvers<readonly Resolved[]>();
  const timer = setTimeout(giveUp, RESOLVE_MS, []);
  const addresses = await Promise.race([resolve(hostname).catch(() => []), late]);
  clearTimeout(timer);
  for (const { address } of addresses) {
    checkReach(reachOf(address) ?? 'forbidden', hostname, allowPrivate);
  }
}
