import { usageError } from '../command-failed.ts';
import type { Address } from '../context.ts';
import { readLogin } from './login-file.ts';

export const DEFAULT_URL = 'http://127.0.0.1:7717';

interface Given {
  readonly url: string | undefined;
  readonly token: string | undefined;
}

/** Flags, then the environment, then the login. A token goes only to the server that it was given for. */
export async function addressOf(
  flags: Given,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Address> {
  const url = given(flags.url, '--url') ?? given(env['CHATD_URL'], 'CHATD_URL');
  const token = nonEmpty(flags.token) ?? nonEmpty(env['CHATD_TOKEN']);
  if (url !== undefined && token !== undefined) return { url, token, source: 'as you said' };
  const login = await readLogin(env);
  if (login !== undefined && (url === undefined || url === login.url)) {
    return { url: login.url, token: token ?? login.token, source: 'by chatd login' };
  }
  return {
    url: url ?? DEFAULT_URL,
    token,
    source: url === undefined ? 'the default' : 'as you said',
  };
}

function given(text: string | undefined, where: string): string | undefined {
  const url = nonEmpty(text);
  if (url === undefined) return undefined;
  return checkedUrl(url, where);
}

/** Without a path: what follows belongs to the API. */
export function checkedUrl(text: string, where: string): string {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw usageError(
      `${where} is not the address of a server: ${JSON.stringify(text)}.`,
      `It looks like ${DEFAULT_URL}.`,
    );
  }
  return `${parsed.origin}${parsed.pathname === '/' ? '' : parsed.pathname.replace(/\/+$/, '')}`;
}

const nonEmpty = (text: string | undefined) => (text === '' ? undefined : text);
