import { createPrivateKey, generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Configuration, Provider } from 'oidc-provider';
import { afterAll } from 'vitest';

export const CLIENT_ID = 'chatd';
export const CLIENT_SECRET = 'a-client-secret-of-tests-0123456789';

export interface OidcAccount {
  readonly preferred_username?: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  groups?: readonly string[];
}

type Key = JsonWebKey & { readonly kid: string };

export interface TestOidcProvider {
  readonly issuer: string;
  /** Accounts by subject. Other subjects cannot sign in. */
  readonly accounts: Map<string, OidcAccount>;
  /** Origins of servers with an allowed redirect URI. */
  readonly clients: Set<string>;
  /** Closes every connection. */
  isDown: boolean;
  /** Expires the code in a callback URL. */
  expireCode(callback: string): Promise<void>;
  /** Changes the claims of ID tokens. The provider signs the result. */
  forge: ((claims: Record<string, unknown>) => Record<string, unknown>) | undefined;
  /** Signs with a new key from now on. Also reloads the clients. */
  rotateKeys(): void;
}

/** The `oidc-provider` package with a sign-in page that asks only for the subject. Stops with the test file. */
export async function startOidcProvider(): Promise<TestOidcProvider> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let key = newKey('first');
  let provider: Provider | undefined;
  let rotations = 0;

  const state: TestOidcProvider = {
    issuer,
    accounts: new Map(),
    clients: new Set(),
    isDown: false,
    forge: undefined,
    async expireCode(callback) {
      const code = new URL(callback).searchParams.get('code') ?? '';
      await (await provider?.AuthorizationCode.find(code))?.destroy();
    },
    rotateKeys() {
      rotations += 1;
      key = newKey(`rotated-${rotations}`);
      provider = undefined;
    },
  };
  const create = () => {
    const created = new Provider(issuer, configurationOf(state, key));
    created.use(async (context, next) => {
      await next();
      const body = context.body as { id_token?: string } | undefined;
      if (state.forge === undefined || typeof body?.id_token !== 'string') return;
      context.body = { ...body, id_token: signedAgain(body.id_token, state.forge, key) };
    });
    return created;
  };

  server.on('request', (request, response) => {
    // The configuration has the clients, which tests add before the first request.
    provider ??= create();
    if (state.isDown) request.socket.destroy();
    else if (request.url?.startsWith('/interaction/') === true) {
      void interact(provider, request, response);
    } else void provider.callback()(request, response);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return state;
}

function newKey(kid: string): Key {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' };
}

const configurationOf = (state: TestOidcProvider, key: Key): Configuration => ({
  clients: [
    {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: [...state.clients].map((origin) => `${origin}/oidc/callback`),
      post_logout_redirect_uris: [...state.clients].map((origin) => `${origin}/`),
    },
  ],
  jwks: { keys: [key] },
  cookies: { keys: ['a key of tests'] },
  pkce: { required: () => true },
  scopes: ['openid', 'profile', 'email'],
  claims: {
    openid: ['sub', 'groups'],
    profile: ['preferred_username'],
    email: ['email', 'email_verified'],
  },
  ttl: {
    AccessToken: 60,
    AuthorizationCode: 60,
    Grant: 3600,
    IdToken: 60,
    Interaction: 3600,
    Session: 3600,
  },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  findAccount: (_, sub) => {
    const account = state.accounts.get(sub);
    return account && { accountId: sub, claims: () => ({ ...account, sub }) };
  },
  // Without a page that asks for consent.
  async loadExistingGrant(context) {
    const { provider, session, client } = context.oidc;
    const grant = new provider.Grant({
      accountId: session?.accountId ?? '',
      clientId: client?.clientId ?? '',
    });
    grant.addOIDCScope('openid profile email');
    await grant.save();
    return grant;
  },
});

/** The sign-in page. */
async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(
      '<!doctype html><title>Provider</title><h1>Sign in at the provider</h1>' +
        '<form method="post"><input name="login" aria-label="Account"><button>Sign in</button></form>',
    );
    return;
  }
  const accountId = new URLSearchParams(await text(request)).get('login') ?? '';
  const result =
    accountId === 'refused'
      ? { error: 'access_denied', error_description: 'The account <b>may not</b> use chatd.' }
      : { login: { accountId } };
  await provider.interactionFinished(request, response, result);
}

function signedAgain(
  token: string,
  forge: (claims: Record<string, unknown>) => Record<string, unknown>,
  key: Key,
): string {
  const [header = '', payload = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<
    string,
    unknown
  >;
  const forged = Buffer.from(JSON.stringify(forge(claims))).toString('base64url');
  const signed = `${header}.${forged}`;
  const privateKey = createPrivateKey({ key, format: 'jwk' });
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
}
