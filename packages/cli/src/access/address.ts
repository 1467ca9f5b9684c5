import { usageError } from '../command-failed.ts';
import type { Address } from '../context.ts';
import { readLogin } from './login-file.ts';

export const DEFAULT_URL = 'http://127.0.0.1:7717';

interface AddressOptions {
  readonly url: string | undefined;
  readonly token: string | undefined;
}

/** Options come first, then the environment, then the login file. The token of a login is sent to its server only. */
export async function addressOf(
  options: AddressOptions,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Address> {
  const url = parseUrl(options.url, '--url') ?? parseUrl(env['CHATD_URL'], 'CHATD_URL');
  const token = nonEmpty(options.token) ?? nonEmpty(env['CHATD_TOKEN']);
  if (url !== undefined && token !== undefined) return { url, token, isDefault: false };
  const login = await readLogin(env);
  if (login !== undefined && (url === undefined || url === login.url)) {
    return { url: login.url, token: token ?? login.token, isDefault: false };
  }
  return { url: url ?? DEFAULT_URL, token, isDefault: url === undefined };
}

const parseUrl = (text: string | undefined, source: string): string | undefined =>
  text === undefined || text === '' ? undefined : serverUrl(text, source);

/** A URL without a trailing slash, as calls append their paths to it. */
export function serverUrl(text: string, source: string): string {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw usageError(
      `${source} is not a valid server URL: ${JSON.stringify(text)}.`,
      `Example: ${DEFAULT_URL}`,
    );
  }
  return `${parsed.origin}${parsed.pathname === '/' ? '' : parsed.pathname.replace(/\/+$/, '')}`;
}

const nonEmpty = (text: string | undefined) => (text === '' ? undefined : text);
