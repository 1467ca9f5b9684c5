import { lookup } from 'node:dns/promises';
import { type Reach, reachOf } from './address.ts';

/** Why a URL is not called. Its message is for people. */
export class UrlNotAllowed extends Error {
  override readonly name = 'UrlNotAllowed';
}

export interface Resolved {
  readonly address: string;
}
export type Resolve = (host: string) => Promise<readonly Resolved[]>;

const system: Resolve = (host) => lookup(host, { all: true });

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

/** The form of a URL that may be stored: it can be told from its text alone. */
function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new UrlNotAllowed('It must be an http or https URL.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new UrlNotAllowed('It must not hold a user name or a password: keys are stored apart.');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new UrlNotAllowed('It must not hold a query or a fragment.');
  }
  return url;
}

/**
 * When it is configured: where it leads today. A name that cannot be resolved passes, since what counts is checked
 * again with every connection.
 */
export async function checkUrl(
  text: string,
  allowPrivate: boolean,
  resolve: Resolve = system,
): Promise<void> {
  // The parser knows every spelling of an address: numbers, octal, full-width digits.
  const { hostname } = parseUrl(text);
  const literal = reachOf(hostname);
  if (literal !== undefined) return checkReach(literal, hostname, allowPrivate);
  const addresses = await resolve(hostname).catch(() => []);
  for (const { address } of addresses) {
    checkReach(reachOf(address) ?? 'forbidden', hostname, allowPrivate);
  }
}
