import { expect, test } from 'vitest';
import { createLog } from '../../src/log.ts';
import { startChatd } from '../../src/app.ts';
import { LastUsed } from '../../src/auth/last-used.ts';
import { createTestDatabase, dump } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { ADMIN_TOKEN, ApiClient, config, startTestServer } from '@chatd/test-server';

const { admin, as, databaseUrl, owner, store } = await startTestServer();

test('a token is shown once and stored as a hash', async () => {
  const made = await owner.ok('createToken', { body: { name: 'ci', scopes: ['read', 'read'] } });
  expect(made.token).toMatch(/^chatd_[\w-]{43}$/);
  expect(made).toMatchObject({ name: 'ci', scopes: ['read'], user_id: store.owner });
  expect(await dump(databaseUrl)).not.toContain(made.token);
  const { tokens } = await owner.ok('listTokens');
  expect(tokens.find(({ id }) => id === made.id)).not.toHaveProperty('token');
  expect(await as(made.token).ok('getMe')).toMatchObject({ id: store.owner });
});

test('a revoked token is refused', async () => {
  const made = await owner.ok('createToken', { body: { name: 'x' } });
  await owner.ok('deleteToken', { params: { token_id: made.id } });
  expect(await as(made.token).refusal('getMe')).toBe('401 unauthenticated');
});

const make = (body: object) => ({ body: { name: 'made', ...body } });

test('a token created by a token has no more permissions and no longer lifetime', async () => {
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const later = new Date(Date.now() + 7_200_000).toISOString();
  const maker = await owner.ok('createToken', {
    body: { name: 'maker', scopes: ['read', 'write'], expires_at },
  });
  const client = as(maker.token);
  expect(await client.ok('createToken', make({}))).toMatchObject({
    scopes: ['read', 'write'],
    expires_at,
  });
  expect(await client.ok('createToken', make({ scopes: ['read'] }))).toMatchObject({
    scopes: ['read'],
  });
  const before = await dump(databaseUrl);
  expect(await client.refusal('createToken', make({ scopes: ['read', 'admin'] }))).toBe(
    '403 insufficient_scope',
  );
  expect(await client.refusal('createToken', make({ expires_at: later }))).toBe('400 invalid_body');
  expect(await dump(databaseUrl)).toBe(before);
});

test('only an admin with the admin scope creates tokens for other users', async () => {
  const { token } = await admin.ok('createToken', { body: { name: 'w', scopes: ['write'] } });
  expect(
    await as(token).refusal('createToken', { body: { name: 'x', user_id: store.owner } }),
  ).toBe('403 insufficient_scope');
  expect(
    await admin.ok('createToken', { body: { name: 'x', user_id: store.owner } }),
  ).toMatchObject({ user_id: store.owner });
});

test('a token has the current role of its user', async () => {
  const user = await admin.ok('createUser', { body: { username: 'promoted', role: 'admin' } });
  const params = { user_id: user.id };
  const { token } = await admin.ok('createToken', { body: { name: 'x', user_id: user.id } });
  await as(token).ok('getSettings');
  await admin.ok('updateUser', { params, body: { role: 'member' } });
  expect(await as(token).refusal('getSettings')).toBe('403 admin_required');
  await admin.ok('deleteUser', { params });
  expect(await as(token).refusal('getMe')).toBe('401 unauthenticated');
});

test('the last admin stays an admin, even when two demotions race', async () => {
  const me = await admin.ok('getMe');
  const params = { user_id: me.id };
  expect(await admin.refusal('updateUser', { params, body: { role: 'member' } })).toBe(
    '409 last_admin',
  );
  expect(await admin.refusal('deleteUser', { params })).toBe('409 last_admin');
  const other = await admin.ok('createUser', { body: { username: 'other', role: 'admin' } });
  const replies = await Promise.all(
    [me.id, other.id].map((user_id) =>
      admin.call('updateUser', { params: { user_id }, body: { role: 'member' } }),
    ),
  );
  // The second request is refused: its target is the last admin, or its caller is no longer an admin.
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  const { token } = await startAgain();
  await eventually(async () => expect((await token.ok('getMe')).role).toBe('admin'));
});

/** Starts and stops a server on the same database with this admin token. */
async function startAgain(adminToken: string = ADMIN_TOKEN) {
  const log = createLog({ level: 'silent', secrets: [], readable: false, write: () => undefined });
  const chatd = await startChatd(config({ databaseUrl, adminToken }), { log });
  await chatd.close();
  return { token: as(adminToken) };
}

test('deleting a user deletes all their chats', async () => {
  const { token } = await startAgain();
  const user = await token.ok('createUser', { body: { username: 'leaving' } });
  const made = await token.ok('createToken', { body: { name: 'x', user_id: user.id } });
  await as(made.token).ok('createChat', { body: { content: 'x' } });
  await token.ok('deleteUser', { params: { user_id: user.id } });
  expect(await dump(databaseUrl, ['audit_events'])).not.toContain(user.id);
});

test("the operator's token is valid as long as servers start with it", async () => {
  const { token: first } = await startAgain('the-first-operator-token');
  await first.ok('getMe');
  const { token: second } = await startAgain('the-second-operator-token');
  await second.ok('getMe');
  await eventually(async () => expect(await first.refusal('getMe')).toBe('401 unauthenticated'));
  expect(await dump(databaseUrl)).not.toContain('operator-token');
});

test('the last use of tokens is written later in one batch', async () => {
  const { url } = await createTestDatabase();
  const log = createLog({ level: 'silent', secrets: [], readable: false, write: () => undefined });
  const chatd = await startChatd(config({ databaseUrl: url }), { log });
  const client = new ApiClient(chatd.url, { authorization: `Bearer ${ADMIN_TOKEN}` });
  expect((await client.ok('listTokens')).tokens).toMatchObject([{ last_used_at: null }]);
  await chatd.close();
  const again = await startChatd(config({ databaseUrl: url }), { log });
  const after = new ApiClient(again.url, { authorization: `Bearer ${ADMIN_TOKEN}` });
  expect((await after.ok('listTokens')).tokens[0]?.last_used_at).not.toBeNull();
  await again.close();
});

test('an unavailable database loses only the last use of a token', async () => {
  const errors: unknown[] = [];
  const gone = await createTestDatabase();
  const { Database } = await import('../../src/store/database.ts');
  const database = new Database({ url: gone.url });
  const lastUsed = new LastUsed({ database, onError: (error) => errors.push(error) });
  lastUsed.note('00000000-0000-7000-8000-000000000000', new Date());
  await gone.drop();
  await lastUsed.close();
  expect(errors).toHaveLength(1);
  await database.close();
});
