import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { ChatdProblem, createClient } from '@chatd/client';
import type { CreatedToken } from '@chatd/protocol';
import { CommandFailed } from '../command-failed.ts';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { openBrowser } from './open-browser.ts';

type Terminal = Pick<Context, 'env' | 'log' | 'now'>;

const PATIENCE_MS = 10 * 60_000;

export const tokenName = (): string => `chatd command on ${hostname()}`.slice(0, 100);

const newSecret = () => randomBytes(32).toString('base64url');

const expired = () =>
  new CommandFailed(
    EXIT.refused,
    'The login was not approved in time.',
    'Run chatd login again, and approve it in the browser.',
  );

/**
 * Opens a page of the server, where the user approves the login. The browser then passes a one-time code to a port of
 * this computer. Only this process knows the verifier that makes the code a token.
 */
export async function loginByBrowser({ env, log }: Terminal, url: string): Promise<CreatedToken> {
  const [verifier, state] = [newSecret(), newSecret()];
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const { promise, resolve, reject } = Promise.withResolvers<CreatedToken>();
  const finish = async (code: string | null) => {
    if (code === null) {
      throw new CommandFailed(EXIT.refused, 'The login was canceled in the browser.');
    }
    const body = { code, verifier };
    return await createClient({ url, retries: 0 }).call('finishCliLogin', { body });
  };
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const query = answerIn(request, state);
    if (query === undefined) return respond(response, 400, 'This address is for chatd login only.');
    try {
      const token = await finish(query.get('code'));
      respond(response, 200, 'You are signed in. Close this page and return to the terminal.');
      resolve(token);
    } catch (error) {
      respond(response, 400, 'You are not signed in. Close this page: the terminal says why.');
      reject(error);
    }
  };
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const late = setTimeout(() => reject(expired()), PATIENCE_MS);
  try {
    const { port } = server.address() as AddressInfo;
    const query = new URLSearchParams({ port: `${port}`, challenge, state, name: tokenName() });
    const page = `${url}/cli-login?${query.toString()}`;
    log(`Approve the login in your browser. If it did not open, visit:\n${page}`);
    log('No browser on this computer? Press Ctrl+C and run chatd login --no-browser.');
    openBrowser(page, env);
    return await promise;
  } finally {
    clearTimeout(late);
    server.close();
    server.closeIdleConnections();
  }
}

/** The query string of the browser. Undefined: another program sent the request. */
function answerIn(
  { method, url = '' }: IncomingMessage,
  state: string,
): URLSearchParams | undefined {
  const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
  const isAnswer = method === 'GET' && pathname === '/' && searchParams.get('state') === state;
  return isAnswer ? searchParams : undefined;
}

function respond(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(`<!doctype html><title>chatd</title><meta charset="utf-8"><p>${text}</p>`);
}

/** Shows a code that the user enters in a browser on any computer. */
export async function loginByCode({ log, now }: Terminal, url: string): Promise<CreatedToken> {
  const client = createClient({ url });
  const login = await client.call('startCliLogin', { body: { name: tokenName() } });
  log(`Open ${login.url} in a browser and enter the code ${login.user_code}`);
  while (now() < Date.parse(login.expires_at)) {
    await wait(login.interval_seconds * 1000);
    try {
      return await client.call('finishCliLogin', { body: { code: login.code } });
    } catch (error) {
      if (!(error instanceof ChatdProblem && error.code === 'cli_login_pending')) throw error;
    }
  }
  throw expired();
}
