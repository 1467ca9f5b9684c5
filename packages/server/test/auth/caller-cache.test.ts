import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import type { Authentication } from '../../src/auth/authenticate.ts';
import { CallerCache, type LookedUp } from '../../src/auth/caller-cache.ts';
import { findSession } from '../../src/store/queries/sessions.ts';
import { findToken } from '../../src/store/queries/tokens.ts';
import { statement } from '../../src/store/statement.ts';
import { ApiClient, startServerOn, startTestServer } from '@chatd/test-server';
import { eventually } from '@chatd/test-server/eventually';

const caller = (id: string): Authentication => ({
  by: 'token',
  caller: {
    user: {
      id,
      username: id,
      role: 'member',
      has_password: false,
      suspended: false,
      spend_limit_micros: null,
      created_at: new Date(0),
    },
    scopes: null,
    expiresAt: null,
    tokenId: id,
    session: null,
  },
});

function cache(found: LookedUp = { authentication: caller('ann'), expiresSoon: false }) {
  const clock = { now: 0 };
  const lookUp = vi.fn<() => Promise<LookedUp>>(() => Promise.resolve(found));
  return { clock, lookUp, callers: new CallerCache(() => clock.now) };
}

test('a caller is looked up once a second', async () => {
  const { clock, callers, lookUp } = cache();
  for (clock.now = 0; clock.now < 1000; clock.now += 100) {
    expect(await callers.find('key', lookUp)).toMatchObject({ caller: { user: { id: 'ann' } } });
  }
  expect(lookUp).toHaveBeenCalledTimes(1);
  await callers.find('key', lookUp);
  expect(lookUp).toHaveBeenCalledTimes(2);
});

test('concurrent requests share a lookup, and its error', async () => {
  const { callers } = cache();
  const lookUp = vi.fn<() => Promise<LookedUp>>(() => Promise.reject(new Error('unavailable')));
  const settled = await Promise.allSettled([
    callers.find('key', lookUp),
    callers.find('key', lookUp),
  ]);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(lookUp).toHaveBeenCalledTimes(1);
  expect(callers.size).toBe(0);
});

test.each<[string, LookedUp]>([
  [
    'a failed authentication',
    { authentication: { caller: null, why: 'invalid' }, expiresSoon: false },
  ],
  ['a credential about to expire', { authentication: caller('ann'), expiresSoon: true }],
])('%s is not cached', async (_, found) => {
  const { callers, lookUp } = cache(found);
  await callers.find('key', lookUp);
  await callers.find('key', lookUp);
  expect(lookUp).toHaveBeenCalledTimes(2);
  expect(callers.size).toBe(0);
});

test('a change of a user drops their entries and no others', async () => {
  const { callers, lookUp } = cache();
  const other = vi.fn<() => Promise<LookedUp>>(() =>
    Promise.resolve({ authentication: caller('bob'), expiresSoon: false }),
  );
  await callers.find('one', lookUp);
  await callers.find('two', lookUp);
  await callers.find('other', other);
  callers.forget('ann');
  await callers.find('one', lookUp);
  await callers.find('other', other);
  expect(lookUp).toHaveBeenCalledTimes(3);
  expect(other).toHaveBeenCalledTimes(1);
});

test('a lookup that was in progress during a change is not cached', async () => {
  const { callers, lookUp } = cache();
  const reading = Promise.withResolvers<LookedUp>();
  const early = callers.find('key', () => reading.promise);
  callers.forget('ann');
  const late = callers.find('key', lookUp);
  reading.resolve({ authentication: caller('ann before the change'), expiresSoon: false });
  expect(await early).toMatchObject({ caller: { user: { id: 'ann before the change' } } });
  expect(await late).toMatchObject({ caller: { user: { id: 'ann' } } });
  expect(await callers.find('key', lookUp)).toMatchObject({ caller: { user: { id: 'ann' } } });
  expect(lookUp).toHaveBeenCalledTimes(1);
});

test('the cache is bounded, and expired entries leave it', async () => {
  const { clock, callers, lookUp } = cache();
  for (let index = 0; index < 5000; index += 1) await callers.find(`key ${index}`, lookUp);
  expect(callers.size).toBe(4096);
  clock.now = 1000;
  await callers.find('next', lookUp);
  expect(callers.size).toBe(1);
});

const first = await startTestServer({ busUrl: 'memory:' });
// The in-memory buses are not connected, so every message between the replicas is lost.
const second = await startServerOn(first.databaseUrl, { busUrl: 'memory:' });

async function member() {
  const password = 'correct horse';
  const username = `u-${randomUUID()}`;
  const user = await first.admin.ok('createUser', { body: { username, password } });
  const { id, token } = await first.admin.ok('createToken', {
    body: { name: 'x', user_id: user.id },
  });
  const { headers } = await first.anonymous.call('signIn', { body: { username, password } });
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  const browser = ({ url }: { url: string }) => new ApiClient(url, { cookie, origin: url });
  const clients = [first.as(token), browser(first), second.as(token), browser(second)];
  for (const client of clients) await client.ok('getMe');
  return { user, tokenId: id, clients };
}

test.each([
  ['2 seconds', false],
  ['0.5 seconds', true],
])('for a token and a session that expire in %s, expires_soon is %s', async (left, soon) => {
  const { user } = await member();
  const setExpiry = statement<{ user_id: string; left: string }, { hash: Buffer }>(
    'test-set-expiry',
    `WITH session AS (
       UPDATE sessions SET expires_at = now() + :left::interval WHERE user_id = :user_id RETURNING secret_hash
     ), token AS (
       UPDATE tokens SET expires_at = now() + :left::interval WHERE user_id = :user_id RETURNING secret_hash
     )
     SELECT secret_hash AS hash FROM session UNION ALL SELECT secret_hash FROM token`,
  );
  // now() is the start of the transaction.
  await first.store.database.transaction(async (tx) => {
    const [session, token] = await tx.query(setExpiry, { user_id: user.id, left });
    const bySession = await tx.query(findSession, { secret_hash: session?.hash ?? Buffer.of() });
    const byToken = await tx.query(findToken, { secret_hash: token?.hash ?? Buffer.of() });
    expect([...bySession, ...byToken].map(({ expires_soon }) => expires_soon)).toEqual([
      soon,
      soon,
    ]);
  });
});

test.each([
  [
    'a suspension',
    (user_id: string) =>
      first.admin.ok('updateUser', { params: { user_id }, body: { suspended: true } }),
  ],
  [
    'the deletion of the user',
    (user_id: string) => first.admin.ok('deleteUser', { params: { user_id } }),
  ],
])('%s refuses the next request on this replica, and soon on others', async (_, change) => {
  const { user, clients } = await member();
  await change(user.id);
  for (const client of clients.slice(0, 2)) {
    expect(await client.refusal('getMe')).toBe('401 unauthenticated');
  }
  for (const client of clients.slice(2)) {
    await eventually(async () => expect(await client.refusal('getMe')).toBe('401 unauthenticated'));
  }
});

test('a revoked token is refused immediately on this replica, and soon on others', async () => {
  const { user, tokenId, clients } = await member();
  const params = { user_id: user.id, token_id: tokenId };
  await first.admin.ok('deleteUserToken', { params });
  const [here, browser, there] = clients;
  expect(await here?.refusal('getMe')).toBe('401 unauthenticated');
  await browser?.ok('getMe');
  await eventually(async () => expect(await there?.refusal('getMe')).toBe('401 unauthenticated'));
});

test('a new role and a new password take effect immediately', async () => {
  const { user, clients } = await member();
  const [token, browser] = clients;
  const params = { user_id: user.id };
  await first.admin.ok('updateUser', { params, body: { role: 'admin' } });
  await token?.ok('getSettings');
  await first.admin.ok('updateUser', { params, body: { role: 'member' } });
  expect(await token?.refusal('getSettings')).toBe('403 admin_required');
  await browser?.ok('getMe');
  await first.admin.ok('updateUser', { params, body: { password: 'another horse' } });
  expect(await browser?.refusal('getMe')).toBe('401 unauthenticated');
  await token?.ok('getMe');
});
