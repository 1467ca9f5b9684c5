import { type Client, createClient } from '@chatd/client';
import { DEFAULT_URL, serverUrl } from '../access/address.ts';
import { type Login, loginPath, readLogin, removeLogin, writeLogin } from '../access/login-file.ts';
import { loginByBrowser, loginByCode, tokenName } from '../access/browser-login.ts';
import { hasBrowser } from '../access/open-browser.ts';
import { readLine } from '../access/read-secret.ts';
import { CommandFailed } from '../command-failed.ts';
import { command, type Run } from '../command-line/command.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';

export const login = (run: Run) =>
  command('login', 'Sign in to a server and save the token', {
    details: `Opens a page of the server in your browser, where you sign in and approve the login. Where no browser can be opened, it shows a code to enter in a browser on another computer.

With --with-token it prompts for a token, or for the one-time sign-in link that chatd serve prints. With --username it prompts for the password. Without a terminal, it reads the secret from stdin.

chatd logout revokes the token, unless you entered it yourself.`,
    examples: [
      ['chatd login', `Sign in to ${DEFAULT_URL} through the browser`],
      [
        'chatd login https://chat.example.org --no-browser',
        'Sign in with a code, for example over SSH',
      ],
      ['chatd login https://chat.example.org --username ada', 'Sign in with a password'],
      ['chatd login https://chat.example.org < token-file', 'Sign in without a terminal'],
    ],
  })
    .argument('[url]')
    .option('--username <name>', 'Sign in with a username and password')
    .option('--with-token', 'Sign in with a token or a sign-in link')
    .option('--browser', 'Sign in through the browser of this computer')
    .option('--no-browser', 'Show a code to enter in a browser on another computer')
    .action(
      run(async (context, given, options) => {
        const address = await context.address();
        const url = given === undefined ? address.url : serverUrl(given, 'URL');
        const token = context.env['CHATD_TOKEN'] === undefined ? undefined : address.token;
        const login = await obtainLogin(context, url, { ...options, token });
        const me = await createClient({ ...login, retries: 0 }).call('getMe');
        const path = await writeLogin(context.env, login);
        context.log(`Signed in to ${login.url} as ${me.username} (${me.role}). Saved to ${path}.`);
      }),
    );

export const logout = (run: Run) =>
  command('logout', 'Delete the saved login; revokes a token that chatd login created').action(
    run(async (context) => {
      const saved = await readLogin(context.env);
      if (saved === undefined) {
        return context.log(`No login in ${loginPath(context.env)}.`);
      }
      if (saved.token_id !== undefined) {
        const client = createClient({ url: saved.url, token: saved.token, retries: 0 });
        await client
          .call('deleteToken', { params: { token_id: saved.token_id } })
          .catch((error: unknown) =>
            context.log(
              `Cannot revoke the token: ${error instanceof Error ? error.message : String(error)}`,
            ),
          );
      }
      await removeLogin(context.env);
      context.log(`Signed out of ${saved.url}.`);
    }),
  );

interface LoginOptions {
  readonly username?: string | undefined;
  readonly withToken?: true | undefined;
  readonly browser?: boolean | undefined;
  /** From the environment. */
  readonly token: string | undefined;
}

async function obtainLogin(
  context: Context,
  url: string,
  { username, withToken, browser, token }: LoginOptions,
): Promise<Login> {
  if (token !== undefined) return await loginBySecret(url, username, token);
  const isPiped = browser === undefined && !context.stdin.isTTY;
  if (username === undefined && withToken === undefined && !isPiped) {
    const byBrowser = browser ?? hasBrowser(context.env);
    const created = await (byBrowser ? loginByBrowser : loginByCode)(context, url);
    return { url, token: created.token, token_id: created.id };
  }
  const secret = await readLine(context, promptFor(url, username), { secret: true });
  if (secret === '') throw new CommandFailed(EXIT.usage, 'No input.');
  return await loginBySecret(url, username, secret);
}

/** The secret is a token, a sign-in link, or the password of the user. */
async function loginBySecret(
  url: string,
  username: string | undefined,
  secret: string,
): Promise<Login> {
  const cookie =
    username === undefined
      ? await cookieByLink(secret)
      : await cookieByPassword(url, username, secret);
  if (cookie === undefined) return { url, token: secret };
  const server = username === undefined ? new URL(secret).origin : url;
  const created = await withCookie(server, cookie).call('createToken', {
    body: { name: tokenName() },
  });
  return { url: server, token: created.token, token_id: created.id };
}

const promptFor = (url: string, username: string | undefined) =>
  username === undefined
    ? `Token or sign-in link for ${url}`
    : `Password for ${username} at ${url}`;

const LINK = /^https?:\/\/.*\/sign-in\?token=/;

/** Undefined if the text is not a link. */
async function cookieByLink(text: string): Promise<string | undefined> {
  if (!LINK.test(text)) return undefined;
  const response = await fetch(text, { redirect: 'manual' });
  await response.body?.cancel();
  const cookie = sessionOf(response);
  if (cookie !== undefined) return cookie;
  throw new CommandFailed(
    EXIT.refused,
    'The sign-in link was already used or has expired.',
    'The server prints a new link when it starts. An admin can create one with chatd user link.',
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

/** Calls the API like the web UI of the server. */
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
