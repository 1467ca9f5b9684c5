import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { Mcp } from '../../src/mcp/mcp.ts';
import type { McpServerRow } from '../../src/store/mcp-servers.ts';
import { dump, execute } from '@chatd/test-server/database';
import { MACHINE, type OAuthServer, startOAuthServer } from '@chatd/test-server/mcp';
import { World } from './world.ts';

const world = await World.open();
afterEach(() => world.stop());

const redirectUrl = 'http://127.0.0.1:7717/mcp/callback';
const oauth = { type: 'oauth', grant: 'authorization_code' } as const;

async function signIn(mcp: Mcp, server: McpServerRow, own: OAuthServer, user = world.store.owner) {
  const to = { redirectUrl, clientSecret: undefined };
  const { url } = await mcp.signIns.begin(server, user, to);
  const back = await own.consent(url, 'someone');
  const { code = '', state = '', iss } = Object.fromEntries(back.searchParams);
  return await mcp.signIns.finish(user, { code, state, iss });
}

async function anotherUser(): Promise<string> {
  const id = randomUUID();
  await execute(
    world.url,
    `INSERT INTO users (id, username, role) VALUES ('${id}', '${id}', 'member')`,
  );
  return id;
}

test('a user who has not signed in has no tools, and the model is informed', async () => {
  const own = await startOAuthServer([{ name: 'mail' }], onTestFinished);
  const server = await world.add({ name: 'inbox', transport: 'http', url: own.url, auth: oauth });
  const { mcp } = await world.start();
  const [refused] = await world.turn([server], [['inbox__mail', {}]]);
  expect(refused).toMatchObject({ is_error: true, result: 'Tool not found: inbox__mail' });
  expect(world.system()).toContain('inbox requires a sign-in');

  expect(await signIn(mcp, server, own)).toBe(server.id);
  mcp.changed(server.id, world.store.owner);
  const [read] = await world.turn([server], [['inbox__mail', {}]]);
  expect(read).toMatchObject({ result: 'mail ran' });
});

test('a session is used only for its own user', async () => {
  const own = await startOAuthServer([{ name: 'mail' }], onTestFinished);
  const server = await world.add({ name: 'alone', transport: 'http', url: own.url, auth: oauth });
  const { mcp } = await world.start();
  await signIn(mcp, server, own);
  const other = await anotherUser();
  world.script([['alone__mail', {}]]);
  const id = await world.ask([server], { owner_id: other });
  await world.arrives(id);
  expect(await world.results(id)).toMatchObject([{ is_error: true }]);
  expect(own.calls).toEqual([]);
});

test('a sign-in is finished once, by the user who began it', async () => {
  const own = await startOAuthServer([{ name: 'mail' }], onTestFinished);
  const server = await world.add({ name: 'mine', transport: 'http', url: own.url, auth: oauth });
  const { mcp } = await world.start();
  const me = world.store.owner;
  const { url } = await mcp.signIns.begin(server, me, { redirectUrl, clientSecret: undefined });
  const { code = '', state = '' } = Object.fromEntries((await own.consent(url, 'me')).searchParams);
  // CSRF: a user who opens the callback URL of another user must not complete that sign-in.
  expect(await mcp.signIns.finish(await anotherUser(), { code, state })).toBeUndefined();
  expect(await mcp.signIns.finish(me, { code, state: 'made up' })).toBeUndefined();
  expect(await mcp.signIns.finish(me, { code, state })).toBe(server.id);
  expect(await mcp.signIns.finish(me, { code, state })).toBeUndefined();
});

test('a response from another issuer is refused', async () => {
  const own = await startOAuthServer([{ name: 'mail' }], onTestFinished);
  const server = await world.add({ name: 'mixed', transport: 'http', url: own.url, auth: oauth });
  const { mcp } = await world.start();
  const me = world.store.owner;
  const { url } = await mcp.signIns.begin(server, me, { redirectUrl, clientSecret: undefined });
  const { code = '', state = '' } = Object.fromEntries((await own.consent(url, 'me')).searchParams);
  const finish = mcp.signIns.finish(me, { code, state, iss: 'https://elsewhere.example' });
  await expect(finish).rejects.toThrow('comes from https://elsewhere.example');
});

test('a sign-in at a server that does not respond times out', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/mcp`;
  const server = await world.add({ name: 'silent', transport: 'http', url, auth: oauth });
  const { mcp } = await world.start({ timing: { signInMs: 50 } });
  const to = { redirectUrl, clientSecret: undefined };
  await expect(mcp.signIns.begin(server, world.store.owner, to)).rejects.toThrow('timeout');
});

test('credentials go only to the authorization server that an admin configured', async () => {
  const own = await startOAuthServer([{ name: 'mail' }], onTestFinished);
  const auth = { ...oauth, issuer: 'https://login.example' };
  const server = await world.add({ name: 'pinned', transport: 'http', url: own.url, auth });
  const { mcp } = await world.start();
  await expect(signIn(mcp, server, own)).rejects.toThrow(
    'but its auth specifies https://login.example',
  );
});

/** A service in the private network that chatd must not call. */
async function startTrap() {
  const requests: string[] = [];
  const trap = createHttpServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void trap.close());
  await once(trap, 'listening');
  const { port } = trap.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, requests };
}

test.each([
  ['the resource metadata', (trap: string) => ({ hint: `${trap}/x` })],
  ['the authorization server', (trap: string) => ({ resource: { authorization_servers: [trap] } })],
  ['the registration endpoint', (trap: string) => ({ server: { registration_endpoint: trap } })],
  ['the token endpoint', (trap: string) => ({ server: { token_endpoint: trap } })],
])('an MCP server cannot place %s at another private address', async (_, steer) => {
  const trap = await startTrap();
  const metadata = steer(trap.origin);
  const own = await startOAuthServer([{ name: 'mail' }], onTestFinished, { metadata });
  const server = await world.add({ transport: 'http', url: own.url, auth: oauth });
  const { mcp } = await world.start();
  await signIn(mcp, server, own).catch(() => undefined);
  expect(trap.requests).toEqual([]);
  expect(own.access.size).toBe(0);
});

test('chatd does not renew a token at a private address that an MCP server named', async () => {
  const trap = await startTrap();
  const metadata: { server?: object } = {};
  const own = await startOAuthServer([{ name: 'mail' }], onTestFinished, { metadata });
  const auth = {
    type: 'oauth',
    grant: 'client_credentials',
    client_id: MACHINE.id,
    client_secret: MACHINE.secret,
  } as const;
  const server = await world.add({ name: 'steers', transport: 'http', url: own.url, auth });
  await world.start();
  metadata.server = { token_endpoint: `${trap.origin}/token` };
  await world.turn([server], [['steers__mail', {}]]);
  expect(world.system()).toContain(`uses ${trap.origin} for sign-in`);
  expect(trap.requests).toEqual([]);
});

test('an authorization server at another private address works once an admin enters it as the issuer', async () => {
  const login = await startOAuthServer([], onTestFinished);
  const { origin } = new URL(login.url);
  const metadata = { resource: { authorization_servers: [origin] } };
  const own = await startOAuthServer([{ name: 'mail' }], onTestFinished, { metadata });
  const { mcp } = await world.start();
  const open = await world.add({ transport: 'http', url: own.url, auth: oauth });
  await expect(signIn(mcp, open, login)).rejects.toThrow('set it as the issuer');
  const auth = { ...oauth, issuer: origin };
  const trusted = await world.add({ transport: 'http', url: own.url, auth });
  // The fake checks the resource of the grant against the one in the request, so both servers see it.
  expect(await signIn(mcp, trusted, login)).toBe(trusted.id);
});

test('an expired token is renewed once for all calls that need it', async () => {
  const own = await startOAuthServer([{ name: 'mail' }], onTestFinished);
  const server = await world.add({ name: 'renews', transport: 'http', url: own.url, auth: oauth });
  const { mcp } = await world.start();
  await signIn(mcp, server, own);
  // The server invalidates all access tokens. Each refresh token works once.
  own.access.clear();
  const mail = ['renews__mail', {}] as const;
  const results = await world.turn([server], [mail, mail, mail]);
  expect(results.map(({ result }) => result)).toEqual(['mail ran', 'mail ran', 'mail ran']);
  own.access.clear();
  expect(await world.turn([server], [mail, mail])).toMatchObject([
    { result: 'mail ran' },
    { result: 'mail ran' },
  ]);
  expect(own.refreshed).toHaveLength(2);
  expect(new Set(own.refreshed).size).toBe(2);
});

test('a token about to expire is renewed before it is used', async () => {
  const own = await startOAuthServer([{ name: 'mail' }], onTestFinished, { expiresIn: 10 });
  const server = await world.add({ name: 'short', transport: 'http', url: own.url, auth: oauth });
  const { mcp } = await world.start();
  await signIn(mcp, server, own);
  expect(await world.turn([server], [['short__mail', {}]])).toMatchObject([{ result: 'mail ran' }]);
  expect(own.refreshed.length).toBeGreaterThan(0);
});

test('a revoked session ends, and its user can sign in again', async () => {
  const own = await startOAuthServer([{ name: 'mail' }], onTestFinished);
  const server = await world.add({ name: 'revoked', transport: 'http', url: own.url, auth: oauth });
  const { mcp } = await world.start();
  await signIn(mcp, server, own);
  own.access.clear();
  own.refresh.clear();
  await world.turn([server], [['revoked__mail', {}]]);
  expect(world.system()).toContain('revoked requires a sign-in');
  await signIn(mcp, server, own);
  mcp.changed(server.id, world.store.owner);
  expect(await world.turn([server], [['revoked__mail', {}]])).toMatchObject([
    { result: 'mail ran' },
  ]);
});

test('with client credentials, chatd signs in itself, for all users', async () => {
  const own = await startOAuthServer([{ name: 'mail' }], onTestFinished);
  const auth = {
    type: 'oauth',
    grant: 'client_credentials',
    client_id: MACHINE.id,
    client_secret: MACHINE.secret,
  } as const;
  const server = await world.add({ name: 'machine', transport: 'http', url: own.url, auth });
  await world.start();
  const mail = ['machine__mail', {}] as const;
  expect(await world.turn([server], [mail, mail])).toMatchObject([
    { result: 'mail ran' },
    { result: 'mail ran' },
  ]);
  expect(new Set(own.access.values())).toEqual(new Set(['machine']));
  own.access.clear();
  expect(await world.turn([server], [mail])).toMatchObject([{ result: 'mail ran' }]);
  expect(own.access.size).toBe(1);
});

test('no token is stored or logged in plain text', async () => {
  const echo = { name: 'echo' };
  const own = await startOAuthServer([echo], onTestFinished);
  const server = await world.add({ name: 'quiet', transport: 'http', url: own.url, auth: oauth });
  const { mcp } = await world.start();
  await signIn(mcp, server, own);
  await world.turn([server], [['quiet__echo', {}]]);
  own.access.clear();
  await world.turn([server], [['quiet__echo', {}]]);
  const seen = (await dump(world.url)) + world.logged.join('');
  expect(own.secrets.length).toBeGreaterThan(2);
  expect(own.secrets.filter((secret) => seen.includes(secret))).toEqual([]);
});
