import { expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '@chatd/test-server';

// Password checks are slow, especially on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

// Tests call from 127.0.0.1: a trusted proxy for the first server, an untrusted client for the second.
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

/** Tries ten wrong passwords. Returns the status of the eleventh attempt. */
async function afterTenGuesses(
  server: TestServer,
  username: string,
  forwardedFor: (index: number) => string,
): Promise<number> {
  const guess = (index: number) =>
    signIn(server, username, { 'x-forwarded-for': forwardedFor(index) });
  for (let index = 0; index < 10; index += 1) expect((await guess(index)).status).toBe(401);
  return (await guess(10)).status;
}

/** A client's forged address comes before the address that the proxy adds. */
const forgedAddress = (index: number) => `198.51.100.${index}, 203.0.113.1`;

test('behind a proxy, an attacker can neither bypass the limit nor lock out other clients', async () => {
  const username = await member(behind);
  expect(await afterTenGuesses(behind, username, forgedAddress)).toBe(429);
  const right = (address: string) =>
    signIn(behind, username, { 'x-forwarded-for': address }, PASSWORD);
  expect((await right('203.0.113.1')).status).toBe(429);
  expect((await right('203.0.113.1, 203.0.113.2')).status).toBe(200);
});

test('an untrusted client cannot impersonate other clients', async () => {
  const username = await member(direct);
  expect(await afterTenGuesses(direct, username, (index) => `198.51.100.${index}`)).toBe(429);
  const claims = [{}, { 'x-forwarded-for': '10.0.0.1' }, { 'x-forwarded-for': '203.0.113.9' }];
  for (const headers of claims) {
    expect((await signIn(direct, username, headers, PASSWORD)).status).toBe(429);
  }
  const said = direct.logged.filter((line) => line.includes('CHATD_TRUSTED_PROXIES'));
  expect(said).toHaveLength(1);
  expect(JSON.parse(said[0] ?? '')).toMatchObject({ level: 40, peer: '127.0.0.1' });
});

/** For a request with `X-Forwarded-Proto: https`: whether the cookie is Secure, and the protocol of links. */
async function seenBy(server: TestServer): Promise<readonly [boolean, string]> {
  const headers = { 'x-forwarded-proto': 'https' };
  const reply = await signIn(server, await member(server), headers, PASSWORD);
  const { id } = await server.admin.ok('getMe');
  const link = await server.admin.ok('createSignInLink', { params: { user_id: id }, headers });
  const cookie = reply.headers.get('set-cookie')?.split('; ') ?? [];
  return [cookie.includes('Secure'), new URL(link.url).protocol];
}

test('X-Forwarded-Proto is accepted only from a trusted proxy', async () => {
  expect(await seenBy(behind)).toEqual([true, 'https:']);
  expect(await seenBy(direct)).toEqual([false, 'http:']);
});

test('links use the Host header and ignore forwarded hosts', async () => {
  const headers = {
    'x-forwarded-host': 'evil.example',
    forwarded: 'for=9.9.9.9;host=evil.example',
  };
  const { id } = await behind.admin.ok('getMe');
  const link = await behind.admin.ok('createSignInLink', { params: { user_id: id }, headers });
  expect(new URL(link.url).host).toBe(new URL(behind.url).host);
});
