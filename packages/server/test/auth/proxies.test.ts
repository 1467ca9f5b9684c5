import { expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '@chatd/test-server';

// A password takes long to check, the longer the busier the machine is.
vi.setConfig({ testTimeout: 120_000 });

// Tests call from 127.0.0.1: once that is the proxy, once it is somebody who pretends to be one.
const behind = await startTestServer({ trustedProxies: [{ address: '127.0.0.1', prefix: 32 }] });
const direct = await startTestServer({ trustedProxies: [{ address: '10.0.0.1', prefix: 32 }] });

const PASSWORD = 'correct horse';
let users = 0;
async function member({ admin }: TestServer): Promise<string> {
  users += 1;
  const username = `member-${users}`;
  await admin.ok('createUser', { body: { username, password: PASSWORD } });
  return username;
}

const signIn = (
  { anonymous }: TestServer,
  username: string,
  headers: Record<string, string>,
  password = 'wrong',
) => anonymous.call('signIn', { body: { username, password }, headers });

/** Ten wrong passwords, one after the other, then the answer to one more. */
async function afterTen(
  server: TestServer,
  username: string,
  forwardedFor: (index: number) => string,
): Promise<number> {
  const guess = (index: number) =>
    signIn(server, username, { 'x-forwarded-for': forwardedFor(index) });
  for (let index = 0; index < 10; index += 1) expect((await guess(index)).status).toBe(401);
  return (await guess(10)).status;
}

/** What the client itself says stands before what the proxy adds. */
const lying = (index: number) => `198.51.100.${index}, 203.0.113.1`;

test('behind a proxy somebody who guesses locks out nobody else, and does not get around the limit', async () => {
  const username = await member(behind);
  expect(await afterTen(behind, username, lying)).toBe(429);
  const right = (address: string) =>
    signIn(behind, username, { 'x-forwarded-for': address }, PASSWORD);
  expect((await right('203.0.113.1')).status).toBe(429);
  expect((await right('203.0.113.1, 203.0.113.2')).status).toBe(200);
});

test('whoever is no proxy cannot pretend to be many clients, or another one', async () => {
  const username = await member(direct);
  expect(await afterTen(direct, username, (index) => `198.51.100.${index}`)).toBe(429);
  const claims = [{}, { 'x-forwarded-for': '10.0.0.1' }, { 'x-forwarded-for': '203.0.113.9' }];
  for (const headers of claims) {
    expect((await signIn(direct, username, headers, PASSWORD)).status).toBe(429);
  }
  const said = direct.logged.filter((line) => line.includes('CHATD_TRUSTED_PROXIES'));
  expect(said).toHaveLength(1);
  expect(JSON.parse(said[0] ?? '')).toMatchObject({ level: 40, peer: '127.0.0.1' });
});

/** Of a connection that is said to be encrypted: whether cookies are for such alone, and how links begin. */
async function seenBy(server: TestServer): Promise<readonly [boolean, string]> {
  const headers = { 'x-forwarded-proto': 'https' };
  const reply = await signIn(server, await member(server), headers, PASSWORD);
  const { id } = await server.admin.ok('getMe');
  const link = await server.admin.ok('createSignInLink', { params: { user_id: id }, headers });
  const cookie = reply.headers.get('set-cookie')?.split('; ') ?? [];
  return [cookie.includes('Secure'), new URL(link.url).protocol];
}

test('that the connection is encrypted, only a proxy that is trusted may say', async () => {
  expect(await seenBy(behind)).toEqual([true, 'https:']);
  expect(await seenBy(direct)).toEqual([false, 'http:']);
});

test('names of hosts are those of the Host header, whatever else is said', async () => {
  const headers = {
    'x-forwarded-host': 'evil.example',
    forwarded: 'for=9.9.9.9;host=evil.example',
  };
  const { id } = await behind.admin.ok('getMe');
  const link = await behind.admin.ok('createSignInLink', { params: { user_id: id }, headers });
  expect(new URL(link.url).host).toBe(new URL(behind.url).host);
});
