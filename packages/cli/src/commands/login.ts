import { hostname } from 'node:os';
import { type Client, createClient } from '@chatd/client';
import { DEFAULT_URL, serverUrl } from '../access/address.ts';
import { loginPath, readLogin, removeLogin, writeLogin } from '../access/login-file.ts';
import { readLine } from '../access/read-secret.ts';
import { CommandFailed } from '../command-failed.ts';
import { command, type Run } from '../command-line/command.ts';
import { EXIT } from '../exit-codes.ts';

export const login = (run: Run) =>
  command('login', 'Sign in to a server and save the token', {
    details: `Prompts for a token, or for the one-time sign-in link that chatd serve prints. With --username it prompts for the password. Without a terminal, it reads the secret from stdin.

A link or password is exchanged for a new token, which chatd logout revokes.`,
    examples: [
      ['chatd login', `Sign in to ${DEFAULT_URL}`],
      ['chatd login https://chat.example.org --username ada', 'Sign in with a password'],
      ['chatd login https://chat.example.org < token-file', 'Sign in without a terminal'],
    ],
  })
    .argument('[url]')
    .option('--username <name>', 'Sign in with a username and password')
    .action(
      run(async (context, given, { username }) => {
        const address = await context.address();
        let url = given === undefined ? address.url : serverUrl(given, 'URL');
        const secret =
          context.env['CHATD_TOKEN'] !== undefined && address.token !== undefined
            ? address.token
            : await readLine(context, promptFor(url, username), { secret: true });
        if (secret === '') throw new CommandFailed(EXIT.usage, 'No input.');
        let token = secret;
        let tokenId: string | undefined;
        const cookie =
          username === undefined
            ? await cookieByLink(secret)
            : await cookieByPassword(url, username, secret);
        if (cookie !== undefined) {
          url = username === undefined ? new URL(secret).origin : url;
          const created = await withCookie(url, cookie).call('createToken', {
            body: { name: `chatd command on ${hostname()}` },
          });
          token = created.token;
          tokenId = created.id;
        }
        const me = await createClient({ url, token, retries: 0 }).call('getMe');
        const path = await writeLogin(context.env, {
          url,
          token,
          ...(tokenId !== undefined && { token_id: tokenId }),
        });
        context.log(`Signed in to ${url} as ${me.username} (${me.role}). Saved to ${path}.`);
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
