import { expect, onTestFinished, test } from 'vitest';
import { statement } from '../../src/store/statement.ts';
import { startServerOn, startTestServer } from '@chatd/test-server';
import { dump } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import {
  everythingProgram,
  freePort,
  startOAuthServer,
  startOwnServer,
} from '@chatd/test-server/mcp';

const SECRET_KEY = 'the-secret-key-of-this-server';
const TOKEN = 'tok-1a2b3c4d5e6f7081';
const server = await startTestServer({ secretKey: SECRET_KEY });
const { admin, owner, stranger, databaseUrl } = server;

const http = (name: string, url: string, more: object = {}) => ({
  body: { name, transport: 'http', url, ...more },
});

test('an admin adds, changes and deletes a server; its secrets are never shown', async () => {
  const own = await startOwnServer([{ name: 'ping' }], onTestFinished);
  const auth = { type: 'bearer', token: TOKEN };
  const made = await admin.ok('createMcpServer', http('crud', own.url, { auth }));
  expect(made).toMatchObject({
    name: 'crud',
    transport: 'http',
    auth: { type: 'bearer' },
    tool_allow: null,
    timeout_seconds: 300,
    trusted: false,
    default_on: false,
    enabled: true,
    needs_sign_in: false,
  });
  const params = { mcp_server_id: made.id };
  const changed = await admin.ok('updateMcpServer', {
    params,
    body: { name: 'crud-2', tool_deny: ['danger_*'], trusted: true },
  });
  expect(changed).toMatchObject({ name: 'crud-2', tool_deny: ['danger_*'], trusted: true });
  expect(await admin.ok('getMcpServer', { params })).toEqual(changed);
  expect(await admin.ok('testMcpServer', { params })).toMatchObject({ ok: true });
  // The update kept the original secret.
  expect(own.headers.at(-1)?.authorization).toBe(`Bearer ${TOKEN}`);
  const { mcp_servers } = await admin.ok('listMcpServers');
  expect(mcp_servers).toContainEqual(changed);
  expect(JSON.stringify([made, changed, mcp_servers]) + (await dump(databaseUrl))).not.toContain(
    TOKEN,
  );
  expect(server.logged.join('')).not.toContain(TOKEN);
  await admin.ok('deleteMcpServer', { params });
  expect(await admin.refusal('getMcpServer', { params })).toBe('404 not_found');
});

test('a stdio server has a working directory and limits; an HTTP server has neither', async () => {
  const body = { name: 'program', transport: 'stdio', command: '/bin/true', cwd: '/srv' };
  const made = await admin.ok('createMcpServer', { body: { ...body, limits: { memory_mb: 512 } } });
  expect(made).toMatchObject({ cwd: '/srv', limits: { memory_mb: 512 } });
  const params = { mcp_server_id: made.id };
  const change = { cwd: null, limits: { open_files: 64 } };
  const changed = await admin.ok('updateMcpServer', { params, body: change });
  expect(changed).not.toHaveProperty('cwd');
  expect(changed.limits).toEqual({ open_files: 64 });
  const refused = http('elsewhere', 'http://127.0.0.1:1/mcp', { limits: { memory_mb: 512 } });
  expect(await admin.refusal('createMcpServer', refused)).toContain('400');
  await admin.ok('deleteMcpServer', { params });
});

test('members see only the servers that they can choose, without their configuration', async () => {
  const on = await admin.ok(
    'createMcpServer',
    http('for-all', 'http://127.0.0.1:1/mcp', { auth: { type: 'bearer', token: TOKEN } }),
  );
  const off = await admin.ok(
    'createMcpServer',
    http('for-none', 'http://127.0.0.1:1/mcp', { enabled: false }),
  );
  const { mcp_servers: seen } = await owner.ok('listMcpServers');
  expect(seen.find(({ id }) => id === on.id)).toEqual({
    id: on.id,
    name: 'for-all',
    enabled: true,
    default_on: false,
    needs_sign_in: false,
    signed_in: false,
  });
  expect(seen.some(({ id }) => id === off.id)).toBe(false);
});

const create = (more: object) => owner.ok('createChat', { body: { content: 'x', ...more } });

test('a chat gets the requested servers or the defaults; unknown and disabled servers are refused', async () => {
  const make = async (name: string, more: object) =>
    (await admin.ok('createMcpServer', http(name, 'http://127.0.0.1:1/mcp', more))).id;
  const usual = await make('usual', { default_on: true });
  const asleep = await make('asleep', { default_on: true, enabled: false });
  const special = await make('special', {});
  expect((await create({})).mcp_server_ids).toEqual([usual]);
  expect((await create({ mcp_server_ids: [] })).mcp_server_ids).toEqual([]);
  expect((await create({ mcp_server_ids: [special, special] })).mcp_server_ids).toEqual([special]);
  const before = await dump(databaseUrl);
  for (const id of [asleep, '00000000-0000-7000-8000-00000000abcd']) {
    const body = { content: 'x', mcp_server_ids: [special, id] };
    expect(await owner.refusal('createChat', { body })).toBe('400 unknown_mcp_server');
  }
  expect(await dump(databaseUrl)).toBe(before);
  const { id: chat_id } = await create({});
  const change = (mcp_server_ids: string[]) => ({ params: { chat_id }, body: { mcp_server_ids } });
  expect((await owner.ok('updateChat', change([special]))).mcp_server_ids).toEqual([special]);
  expect(await owner.refusal('updateChat', change([asleep]))).toBe('400 unknown_mcp_server');
  expect((await owner.ok('getChat', { params: { chat_id } })).mcp_server_ids).toEqual([special]);
  expect((await owner.ok('updateChat', change([]))).mcp_server_ids).toEqual([]);
  await admin.ok('updateMcpServer', { params: { mcp_server_id: usual }, body: { enabled: false } });
});

test.each([
  [
    'a name that is not a slug',
    { name: 'Not A Slug', transport: 'http', url: 'http://127.0.0.1/' },
    '400 invalid_body',
  ],
  [
    'a name with two hyphens',
    { name: 'a--b', transport: 'http', url: 'http://127.0.0.1/' },
    '400 invalid_body',
  ],
  ['no URL', { name: 'x', transport: 'http' }, '400 invalid_body'],
  ['no command', { name: 'x', transport: 'stdio' }, '400 invalid_body'],
  [
    'a command for http',
    { name: 'x', transport: 'http', url: 'http://127.0.0.1/', command: 'x' },
    '400 invalid_body',
  ],
  [
    'a URL for stdio',
    { name: 'x', transport: 'stdio', command: 'x', url: 'http://127.0.0.1/' },
    '400 invalid_body',
  ],
  [
    'auth for stdio',
    { name: 'x', transport: 'stdio', command: 'x', auth: { type: 'bearer', token: 'abc' } },
    '400 invalid_body',
  ],
  [
    'client_credentials without credentials',
    {
      name: 'x',
      transport: 'http',
      url: 'http://127.0.0.1/',
      auth: { type: 'oauth', grant: 'client_credentials' },
    },
    '400 invalid_body',
  ],
  [
    'an invalid header name',
    {
      name: 'x',
      transport: 'http',
      url: 'http://127.0.0.1/',
      auth: { type: 'header', name: 'a b', value: 'abc' },
    },
    '400 invalid_body',
  ],
  [
    'a line break in a secret',
    {
      name: 'x',
      transport: 'http',
      url: 'http://127.0.0.1/',
      auth: { type: 'bearer', token: 'a\nb' },
    },
    '400 invalid_body',
  ],
  [
    'an invalid variable name',
    { name: 'x', transport: 'stdio', command: 'x', env: { 'a=b': 'c' } },
    '400 invalid_body',
  ],
  [
    'the metadata address',
    { name: 'x', transport: 'http', url: 'http://169.254.169.254/' },
    '400 url_not_allowed',
  ],
  [
    'a URL with a password',
    { name: 'x', transport: 'sse', url: 'http://a:b@example.com/' },
    '400 url_not_allowed',
  ],
  [
    'a file URL',
    { name: 'x', transport: 'http', url: 'file:///etc/passwd' },
    '400 url_not_allowed',
  ],
])('%s is refused and changes nothing', async (_, body, refusal) => {
  const before = await dump(databaseUrl);
  expect(await admin.refusal('createMcpServer', { body })).toBe(refusal);
  expect(await dump(databaseUrl)).toBe(before);
});

test.each([
  'http://127.0.0.1/mcp',
  'http://2130706433/',
  'http://[::ffff:7f00:1]/',
  'http://10.0.0.1/',
])('without allowPrivateUrls, the URL %s is refused', async (url) => {
  const open = await guardedServer();
  expect(await open.admin.refusal('createMcpServer', http('private', url))).toBe(
    '400 url_not_allowed',
  );
});

let guarded: ReturnType<typeof startTestServer> | undefined;
const guardedServer = () => (guarded ??= startTestServer({ allowPrivateUrls: false }));

test('the address of a host name is checked again when chatd connects', async () => {
  const open = await guardedServer();
  const own = await startOwnServer([{ name: 'ping' }], onTestFinished);
  const made = await open.admin.ok(
    'createMcpServer',
    http('moved', 'http://not-known.invalid/mcp'),
  );
  await open.store.database.query(
    statement<{ id: string; url: string }, never>(
      'move-mcp',
      'UPDATE mcp_servers SET url = :url WHERE id = :id',
    ),
    { id: made.id, url: `http://localhost:${own.port}/mcp` },
  );
  const result = await open.admin.ok('testMcpServer', { params: { mcp_server_id: made.id } });
  expect(result).toMatchObject({ ok: false });
  expect(result.message).toContain('private address');
  expect(own.headers).toEqual([]);
});

test('names are unique', async () => {
  await admin.ok('createMcpServer', http('taken', 'http://127.0.0.1:1/mcp'));
  expect(await admin.refusal('createMcpServer', http('taken', 'http://127.0.0.1:1/mcp'))).toBe(
    '409 mcp_server_name_taken',
  );
  const other = await admin.ok('createMcpServer', http('free', 'http://127.0.0.1:1/mcp'));
  expect(
    await admin.refusal('updateMcpServer', {
      params: { mcp_server_id: other.id },
      body: { name: 'taken' },
    }),
  ).toBe('409 mcp_server_name_taken');
});

test('without a secret key, secrets are refused', async () => {
  const plain = await startServerOn(databaseUrl);
  const before = await dump(databaseUrl);
  const auth = { type: 'bearer', token: TOKEN };
  expect(
    await plain.admin.refusal('createMcpServer', http('x', 'http://127.0.0.1/', { auth })),
  ).toBe('409 secret_key_required');
  expect(await dump(databaseUrl)).toBe(before);
});

test('secrets and sessions survive a rotation of the secret key', async () => {
  const own = await startOAuthServer([{ name: 'mail' }], onTestFinished);
  const first = await startTestServer({ secretKey: SECRET_KEY });
  const auth = { type: 'oauth' };
  const session = await first.admin.ok('createMcpServer', http('session', own.url, { auth }));
  const body = { name: 'env', transport: 'stdio', ...everythingProgram, env: { API_KEY: TOKEN } };
  const program = await first.admin.ok('createMcpServer', { body });
  const params = { mcp_server_id: session.id };
  const begun = await first.admin.ok('signInToMcpServer', { params });
  const back = await own.consent(begun.authorization_url, 'me');
  const { code, state } = Object.fromEntries(back.searchParams);
  await first.admin.ok('finishMcpSignIn', { params, body: { code, state } });

  const other = 'another-key-of-this-server';
  await startServerOn(first.databaseUrl, { secretKey: `${other},${SECRET_KEY}` });
  const second = await startServerOn(first.databaseUrl, { secretKey: other });
  for (const { id } of [session, program]) {
    const tested = await second.admin.ok('testMcpServer', { params: { mcp_server_id: id } });
    expect(tested).toMatchObject({ ok: true });
  }
  const wrong = await startServerOn(first.databaseUrl, { secretKey: SECRET_KEY });
  const lost = await wrong.admin.ok('testMcpServer', { params: { mcp_server_id: program.id } });
  expect(lost).toMatchObject({
    ok: false,
    message: expect.stringContaining('cannot be decrypted'),
  });
});

test('a connection test lists the tools, and those that agents do not get', async () => {
  const made = await admin.ok('createMcpServer', {
    body: {
      name: 'everything',
      transport: 'stdio',
      ...everythingProgram,
      tool_deny: ['get-env'],
      trusted: true,
    },
  });
  const result = await admin.ok('testMcpServer', { params: { mcp_server_id: made.id } });
  expect(result).toMatchObject({ ok: true, server: { name: 'mcp-servers/everything' } });
  expect(result.tools).toContainEqual({
    name: 'everything__echo',
    description: 'Echoes back the input string',
    idempotent: true,
  });
  expect(result.left_out?.map(({ name }) => name)).toContain('get-env');
});

test.each([
  [
    'a closed port',
    { transport: 'http', url: `http://127.0.0.1:${await freePort()}/mcp` },
    'the connection was refused',
  ],
  ['a command that does not exist', { transport: 'stdio', command: '/nowhere/x' }, '/nowhere/x'],
  [
    'a program that ends',
    { transport: 'stdio', command: '/bin/sh', args: ['-c', 'echo no license >&2; exit 1'] },
    'no license',
  ],
])('a connection test of %s reports the reason', async (_, where, why) => {
  const name = `bad-${Math.random().toString(36).slice(2, 8)}x`;
  const made = await admin.ok('createMcpServer', { body: { name, ...where } });
  const result = await admin.ok('testMcpServer', { params: { mcp_server_id: made.id } });
  expect(result).toMatchObject({ ok: false });
  expect(result.message).toContain(why);
});

test('a redirect is not followed', async () => {
  const own = await startOwnServer([{ name: 'ping' }], onTestFinished, {
    before(_, response) {
      response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end();
      return true;
    },
  });
  const made = await admin.ok('createMcpServer', http('turns', own.url));
  const result = await admin.ok('testMcpServer', { params: { mcp_server_id: made.id } });
  expect(result).toMatchObject({ ok: false, message: expect.stringContaining('redirect') });
});

test('a user signs in with a browser, and out again', async () => {
  const own = await startOAuthServer([{ name: 'mail' }], onTestFinished);
  const made = await admin.ok(
    'createMcpServer',
    http('mailbox', own.url, { auth: { type: 'oauth' } }),
  );
  expect(made).toMatchObject({ needs_sign_in: true, signed_in: false });
  const params = { mcp_server_id: made.id };
  const cookie = await sessionOf(server.signInUrl);
  const begun = await admin.ok('signInToMcpServer', { params });
  const back = await own.consent(begun.authorization_url, 'me');
  expect(back.href.startsWith(`${server.url}/mcp/callback?`)).toBe(true);
  // Browsers send no strict cookie on a redirect from another site, so a page of chatd continues the sign-in.
  const arrived = await fetch(back);
  const [, next = ''] = /url=([^"]+)"/.exec(await arrived.text()) ?? [];
  const again = new URL(next.replaceAll('&amp;', '&'), server.url);
  const strange = await fetch(again);
  expect(strange.status).toBe(401);
  const done = await fetch(again, { headers: { cookie } });
  expect([done.status, await done.text()]).toEqual([
    200,
    expect.stringContaining('signed in to the MCP server'),
  ]);
  expect(await admin.ok('getMcpServer', { params })).toMatchObject({ signed_in: true });
  expect(await admin.ok('testMcpServer', { params })).toMatchObject({ ok: true });
  // Another user is not signed in.
  const { mcp_servers } = await owner.ok('listMcpServers');
  expect(mcp_servers.find(({ id }) => id === made.id)).toMatchObject({ signed_in: false });
  expect(await stranger.refusal('signOutOfMcpServer', { params })).toBe('404 not_found');

  await admin.ok('signOutOfMcpServer', { params });
  const out = await admin.ok('testMcpServer', { params });
  expect(out).toMatchObject({ ok: false, message: expect.stringContaining('requires a sign-in') });
});

test('a client program submits the code from the callback URL', async () => {
  const own = await startOAuthServer([{ name: 'mail' }], onTestFinished);
  const made = await admin.ok(
    'createMcpServer',
    http('by-hand', own.url, { auth: { type: 'oauth' } }),
  );
  const params = { mcp_server_id: made.id };
  const begun = await owner.ok('signInToMcpServer', { params });
  const back = await own.consent(begun.authorization_url, 'me');
  const { code, state } = Object.fromEntries(back.searchParams);
  const body = { code, state };
  expect(await stranger.refusal('finishMcpSignIn', { params, body })).toBe(
    '400 invalid_mcp_sign_in',
  );
  await owner.ok('finishMcpSignIn', { params, body });
  const { mcp_servers } = await owner.ok('listMcpServers');
  expect(mcp_servers.find(({ id }) => id === made.id)).toMatchObject({ signed_in: true });

  // A new URL ends all sessions.
  await admin.ok('updateMcpServer', { params, body: { url: 'http://127.0.0.1:1/mcp' } });
  const { mcp_servers: after } = await owner.ok('listMcpServers');
  expect(after.find(({ id }) => id === made.id)).toMatchObject({ signed_in: false });
});

test('a sign-in that is not possible is refused with the reason', async () => {
  const own = await startOwnServer([{ name: 'ping' }], onTestFinished);
  const open = await admin.ok('createMcpServer', http('no-login', own.url));
  expect(await owner.refusal('signInToMcpServer', { params: { mcp_server_id: open.id } })).toBe(
    '409 mcp_no_sign_in',
  );
  const down = await admin.ok(
    'createMcpServer',
    http('login-down', `http://127.0.0.1:${await freePort()}/mcp`, { auth: { type: 'oauth' } }),
  );
  const refused = await owner.refused('signInToMcpServer', { params: { mcp_server_id: down.id } });
  expect(refused).toMatchObject({ status: 502, code: 'mcp_sign_in_failed' });
  expect(refused.detail).toContain('the connection was refused');
});

test('an agent calls a tool of an MCP server that was added over the API', async () => {
  const own = await startOwnServer([{ name: 'ping', description: 'Pings' }], onTestFinished);
  const whole = await startTestServer({ concurrency: 2 });
  const body = { name: 'net', transport: 'http', url: own.url, default_on: true };
  await whole.admin.ok('createMcpServer', { body });
  const chat = await whole.owner.ok('createChat', { body: { content: 'use the tool net__ping' } });
  const params = { chat_id: chat.id };
  await eventually(async () =>
    expect((await whole.owner.ok('getChat', { params })).status).toBe('waiting'),
  );
  const { messages } = await whole.owner.ok('listMessages', { params });
  const results = messages
    .flatMap(({ content }) => content)
    .filter(({ type }) => type === 'tool-result');
  expect(results).toMatchObject([{ tool_name: 'net__ping', result: 'ping ran' }]);
  expect(own.calls).toEqual(['ping']);
});

test('the callback refuses invalid requests and escapes their parameters', async () => {
  for (const query of [
    '',
    '?code=a&state=b&here=1',
    '?error=access_denied&error_description=<script>',
  ]) {
    const page = await fetch(`${server.url}/mcp/callback${query}`);
    expect(page.status).toBeGreaterThanOrEqual(400);
    expect(await page.text()).not.toContain('<script>');
  }
});

/** The session cookie that a browser gets from the sign-in link. */
async function sessionOf(signInUrl: string): Promise<string> {
  const answer = await fetch(signInUrl, { redirect: 'manual' });
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  return cookie;
}
