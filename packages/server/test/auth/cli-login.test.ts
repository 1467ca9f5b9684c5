import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { startTestServer } from '@chatd/test-server';
import { execute } from '@chatd/test-server/database';

const { admin, anonymous, as, databaseUrl, owner, url } = await startTestServer();

const verifier = 'a-verifier-of-the-command-0123456789';
const challenge = createHash('sha256').update(verifier).digest('base64url');
const body = { challenge, name: 'chatd command on laptop' };
const finish = async (given: { code: string; verifier?: string }) =>
  await anonymous.call('finishCliLogin', { body: given });
const refusal = async (given: { code: string; verifier?: string }) =>
  await anonymous.refusal('finishCliLogin', { body: given });

test('a one-time code is exchanged for a token of the approving user, only with the verifier', async () => {
  const { code } = await owner.ok('createCliLoginCode', { body });
  expect(await refusal({ code })).toBe('400 invalid_cli_login');
  expect(await refusal({ code, verifier: 'another' })).toBe('400 invalid_cli_login');
  const { token, id, name } = await anonymous.ok('finishCliLogin', { body: { code, verifier } });
  expect(name).toBe(body.name);
  expect(await as(token).ok('getMe')).toEqual(await owner.ok('getMe'));
  expect(await refusal({ code, verifier })).toBe('400 invalid_cli_login');
  const [event] = (await admin.ok('listAuditEvents', { query: { target_id: id } })).audit_events;
  const me = await owner.ok('getMe');
  expect(event).toMatchObject({ action: 'token.create', actor_id: me.id });
});

test('a command without a browser gets a token when a user enters its code', async () => {
  const started = await anonymous.ok('startCliLogin', { body: { name: body.name } });
  expect(started.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  expect(started.url).toBe(`${url}/cli-login`);
  const { code } = started;
  expect(await refusal({ code })).toBe('409 cli_login_pending');
  const typed = started.user_code.toLowerCase().replace('-', ' ');
  const approved = await owner.ok('approveCliLogin', { body: { user_code: typed } });
  expect(approved.name).toBe(body.name);
  // Another user cannot take it over.
  expect(await admin.refusal('approveCliLogin', { body: { user_code: typed } })).toBe(
    '400 invalid_cli_login',
  );
  const { token } = await anonymous.ok('finishCliLogin', { body: { code } });
  expect(await as(token).ok('getMe')).toEqual(await owner.ok('getMe'));
  expect(await refusal({ code })).toBe('400 invalid_cli_login');
});

test('of concurrent exchanges, one gets a token', async () => {
  const { code } = await owner.ok('createCliLoginCode', { body });
  const all = await Promise.all([1, 2, 3, 4].map(() => finish({ code, verifier })));
  expect(all.map(({ status }) => String(status)).sort()).toEqual(['201', '400', '400', '400']);
});

test('codes expire', async () => {
  const { code } = await owner.ok('createCliLoginCode', { body });
  const pending = await anonymous.ok('startCliLogin', { body: { name: 'x' } });
  await execute(databaseUrl, `UPDATE cli_logins SET expires_at = now() - interval '1 second'`);
  expect(await refusal({ code, verifier })).toBe('400 invalid_cli_login');
  expect(await refusal({ code: pending.code })).toBe('400 invalid_cli_login');
  expect(await owner.refusal('approveCliLogin', { body: { user_code: pending.user_code } })).toBe(
    '400 invalid_cli_login',
  );
});

test('a suspended user gets no token', async () => {
  const user = await admin.ok('createUser', { body: { username: 'soon-suspended' } });
  const { token } = await admin.ok('createToken', { body: { name: 't', user_id: user.id } });
  const { code } = await as(token).ok('createCliLoginCode', { body });
  const suspended = { params: { user_id: user.id }, body: { suspended: true } };
  await admin.ok('updateUser', suspended);
  expect(await refusal({ code, verifier })).toBe('400 invalid_cli_login');
});

test('a new password invalidates logins that were approved earlier', async () => {
  const password = 'correct horse';
  const user = await admin.ok('createUser', { body: { username: 'cautious', password } });
  const { token } = await admin.ok('createToken', { body: { name: 't', user_id: user.id } });
  const { code } = await as(token).ok('createCliLoginCode', { body });
  const { code: typed, user_code } = await anonymous.ok('startCliLogin', { body: { name: 'x' } });
  await as(token).ok('approveCliLogin', { body: { user_code } });
  await as(token).ok('changePassword', {
    body: { current_password: password, password: 'battery staple' },
  });
  expect(await refusal({ code, verifier })).toBe('400 invalid_cli_login');
  expect(await refusal({ code: typed })).toBe('400 invalid_cli_login');
});

test('a token with scopes cannot approve a login, which has all permissions', async () => {
  const scoped = await owner.ok('createToken', { body: { name: 't', scopes: ['write'] } });
  const client = as(scoped.token);
  expect(await client.refusal('createCliLoginCode', { body })).toBe('403 insufficient_scope');
  const { user_code } = await anonymous.ok('startCliLogin', { body: { name: 'x' } });
  expect(await client.refusal('approveCliLogin', { body: { user_code } })).toBe(
    '403 insufficient_scope',
  );
  expect(await anonymous.refusal('createCliLoginCode', { body })).toBe('401 unauthenticated');
});

test('an address can start a limited number of logins', async () => {
  const replies = await Promise.all(
    Array.from({ length: 101 }, () => anonymous.call('startCliLogin', { body: { name: 'x' } })),
  );
  expect(replies.some(({ status }) => status === 429)).toBe(true);
});
