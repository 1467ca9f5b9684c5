import { hostname } from 'node:os';
import { type Client, createClient } from '@chatd/client';
import { checkedUrl, DEFAULT_URL } from '../access/address.ts';
import { loginPath, readLogin, removeLogin, writeLogin } from '../access/login-file.ts';
import { readLine } from '../access/read-secret.ts';
import { CommandFailed } from '../command-failed.ts';
import { action } from '../command-line/command.ts';
import { EXIT } from '../exit-codes.ts';

export const login = action({
  name: 'login',
  summary: 'Remember a server and a token',
  details: `Asks for a token, or for the one-time sign-in link that chatd serve prints; where stdin is no
terminal, it is read from there. With --username it asks for the password instead.
A link or a password becomes a token of its own, which chatd logout revokes.`,
  positionals: [{ name: 'URL', optional: true }],
  options: {
    username: { type: 'string', value: 'NAME', help: 'Sign in with a password' },
  },
  examples: [
    ['chatd login', `to ${DEFAULT_URL}`],
    ['chatd login https://chat.example.org --username ada', 'with a password'],
    ['chatd login https://chat.example.org < token-file', 'without a terminal'],
  ],
  async run({ values, positionals: [given], context }) {
    const address = await context.address();
    let url = given === undefined ? address.url : checkedUrl(given, 'URL');
    const typed =
      context.env['CHATD_TOKEN'] !== undefined && address.token !== undefined
        ? address.token
        : await readLine(context, question(url, values.username), { secret: true });
    if (typed === '') throw new CommandFailed(EXIT.usage, 'Nothing was entered.');
    let token = typed;
    let tokenId: string | undefined;
    const cookie =
      values.username === undefined
        ? await cookieByLink(typed)
        : await cookieByPassword(url, values.username, typed);
    if (cookie !== undefined) {
      url = values.username === undefined ? new URL(typed).origin : url;
      const made = await withCookie(url, cookie).call('createToken', {
        body: { name: `chatd command on ${hostname()}` },
      });
      token = made.token;
      tokenId = made.id;
    }
    const me = await createClient({ url, token, retries: 0 }).call('getMe');
    const path = await writeLogin(context.env, {
      url,
      token,
      ...(tokenId !== undefined && { token_id: tokenId }),
    });
    context.say(`You are ${me.username} (${me.role}) at ${url}. Remembered in ${path}.`);
    return EXIT.ok;
  },
});

export const logout = action({
  name: 'logout',
  summary: 'Forget the server and the token; a token that chatd login made is revoked',
  async run({ context }) {
    const known = await readLogin(context.env);
    if (known === undefined) {
      context.say(`There is no login in ${loginPath(context.env)}.`);
      return EXIT.ok;
    }
    if (known.token_id !== undefined) {
      const client = createClient({ url: known.url, token: known.token, retries: 0 });
      await client
        .call('deleteToken', { params: { token_id: known.token_id } })
        .catch((error: unknown) =>
          context.say(
            `The token could not be revoked: ${error instanceof Error ? error.message : String(error)}`,
          ),
        );
    }
    await removeLogin(context.env);
    context.say(`Forgot the login to ${known.url}.`);
    return EXIT.ok;
  },
});

const question = (url: string, username: string | undefined) =>
  username === undefined ? `Token or sign-in link for ${url}` : `Password of ${username} at ${url}`;

const LINK = /^https?:\/\/.*\/sign-in\?token=/;

/** Undefined: it is no link. */
async function cookieByLink(text: string): Promise<string | undefined> {
  if (!LINK.test(text)) return undefined;
  const response = await fetch(text, { redirect: 'manual' });
  await response.body?.cancel();
  const cookie = sessionOf(response);
  if (cookie !== undefined) return cookie;
  throw new CommandFailed(
    EXIT.refused,
    'The sign-in link was used before, or has expired.',
    'A new one is printed when the server starts; an admin makes one with chatd user link.',
  );
}

async function cookieByPassword(
  url: string,
  username: string,
  password: string,
): Promise<string | undefined> {
  let cookie: string | undefined;
  const client = createClient({
    url,
    fetch: async (address, init) => {
      const response = await fetch(address, init);
      cookie = sessionOf(response);
      return response;
    },
    retries: 0,
  });
  await client.call('signIn', { body: { username, password } });
  return cookie;
}

const sessionOf = ({ headers }: Response): string | undefined =>
  headers.getSetCookie()[0]?.split(';')[0];

/** As a page of the server's own would call it. */
const withCookie = (url: string, cookie: string): Client =>
  createClient({
    url,
    retries: 0,
    fetch: (address, init) =>
      fetch(address, {
        ...init,
        headers: {
          ...(init.headers as Record<string, string>),
          cookie,
          origin: new URL(url).origin,
        },
      }),
  });
