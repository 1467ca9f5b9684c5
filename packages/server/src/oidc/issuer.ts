import { isLoopback } from '../auth/hosts.ts';

/** Whether a URL without TLS is one of this computer. */
export const isLoopbackUrl = (text: string): boolean => {
  const { protocol, hostname } = new URL(text);
  return protocol === 'http:' && isLoopback(hostname.replaceAll(/[[\]]/g, ''));
};

/** An issuer that identifies itself with TLS, or one on this computer. Undefined: neither. */
export function parseIssuer(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, search, hash } = new URL(text);
  if (search !== '' || hash !== '') return undefined;
  return protocol === 'https:' || isLoopbackUrl(text) ? text : undefined;
}
