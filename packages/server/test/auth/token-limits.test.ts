import { randomUUID } from 'node:crypto';
import {
  isEventStream,
  isMedia,
  isTwoWay,
  type RouteName,
  type Scope,
  scopesOf,
} from '@chatd/protocol';
import { expect, test } from 'vitest';
import { hashSecret, newSecret, TOKEN_PREFIX } from '../../src/auth/secret.ts';
import { insertToken } from '../../src/store/queries/tokens.ts';
import { insertUser } from '../../src/store/queries/users.ts';
import { statement } from '../../src/store/statement.ts';
import { uuidv7 } from '../../src/store/uuid.ts';
import { allRoutes, routeInputs } from '../http/route-inputs.ts';
import { startTestServer } from '@chatd/test-server';

/*
 * A token never yields more permissions than it has. The cases come from the route table, so new routes are covered.
 */
const server = await startTestServer({ secretKey: 'a-secret-key-of-at-least-32-characters' });
const { admin, anonymous, as, store } = server;
const { inputFor } = await routeInputs(server);

const guarded = allRoutes.filter(([, route]) => route.scope !== null);
const SOON = new Date(Date.now() + 3_600_000).toISOString();

/** Bodies that request the maximum permissions. */
const MAXIMAL_BODIES: Partial<Record<RouteName, () => object | Promise<object>>> = {
  createUser: () => ({ username: `u${randomUUID()}`, role: 'admin', password: 'a new password' }),
  updateUser: () => ({ role: 'admin', password: 'a new password' }),
  changePassword: () => ({ password: 'a new password' }),
  createToken: () => ({ name: 'more' }),
  createCliLoginCode: () => ({ name: 'more', challenge: 'x'.repeat(43) }),
  approveCliLogin: async () => {
    const { user_code } = await anonymous.ok('startCliLogin', { body: { name: 'more' } });
    return { user_code };
  },
};

/** Routes with a secret whose body cannot request permissions for the caller. */
const WITHOUT_MAXIMAL_BODY: readonly RouteName[] = [
  'connectIdentity',
  'createGitConnection',
  'createMachine',
  'createMcpServer',
  'createProvider',
  'createPushSubscription',
  'createTrigger',
  'createWebhook',
  'finishMcpSignIn',
  'previewTrigger',
  'replaceChatSharing',
  'restoreCheckpoint',
  'setOwnKey',
  'updateMcpServer',
  'updateProvider',
  'updateTrigger',
  'writeWorkspaceFile',
];

/** Every credential and admin role in the database. */
async function credentials() {
  const rows = await store.database.query(
    statement<
      null,
      { kind: string; id: string; scopes: readonly Scope[] | null; expires_at: Date | null }
    >(
      'credentials-of-all',
      `SELECT 'token' AS kind, id::text, scopes, expires_at FROM tokens
        UNION ALL SELECT 'session', encode(secret_hash, 'hex'), NULL, NULL FROM sessions
        UNION ALL SELECT 'link', encode(secret_hash, 'hex'), NULL, NULL FROM sign_in_links
        UNION ALL SELECT 'cli login', encode(secret_hash, 'hex'), NULL, NULL
                    FROM cli_logins WHERE user_id IS NOT NULL
        UNION ALL SELECT 'password', id::text || password_hash, NULL, NULL
                    FROM users WHERE password_hash IS NOT NULL
        UNION ALL SELECT 'admin', id::text, NULL, NULL FROM users WHERE role = 'admin'`,
    ),
  );
  return new Map(rows.map((row) => [`${row.kind} ${row.id}`, row]));
}

/** An admin without a password, and one of their tokens. */
async function adminWith(restriction: { scopes?: readonly Scope[]; expires_at?: string }) {
  const userId = uuidv7();
  const secret = newSecret(TOKEN_PREFIX);
  const { scopes = null, expires_at = null } = restriction;
  await store.database.query(insertUser, {
    id: userId,
    username: `admin-${userId}`,
    role: 'admin',
    password_hash: null,
  });
  await store.database.query(insertToken, {
    id: uuidv7(),
    user_id: userId,
    name: 'x',
    secret_hash: hashSecret(secret),
    scopes,
    expires_at: expires_at === null ? null : new Date(expires_at),
  });
  return { userId, client: as(secret) };
}

test('every route that streams or downloads requires a scope that reads', () => {
  const streaming = guarded.filter(([, { answers }]) =>
    Object.values(answers).some((one) => isEventStream(one) || isTwoWay(one) || isMedia(one)),
  );
  expect(streaming.length).toBeGreaterThan(4);
  const blind = streaming.filter(
    ([, { scope }]) => !scopesOf(scope).includes('read') && !scopesOf(scope).includes('admin'),
  );
  expect(blind.map(([name]) => name)).toEqual([]);
});

test('exactly the routes with a secret whose body can request permissions have a maximal body', () => {
  const secret = guarded.filter(([, route]) => route.secret && route.body !== undefined);
  expect(secret.map(([name]) => name).toSorted()).toEqual(
    [...Object.keys(MAXIMAL_BODIES), ...WITHOUT_MAXIMAL_BODY].toSorted(),
  );
});

const answering = guarded.filter(([, { answers }]) => !isEventStream(answers[200]));

test.each(answering)(
  '%s yields no more permissions than a scoped or an expiring token has',
  async (name, route) => {
    for (const restriction of [{ scopes: scopesOf(route.scope) }, { expires_at: SOON }]) {
      const { client } = await adminWith(restriction);
      const before = await credentials();
      const body = await MAXIMAL_BODIES[name]?.();
      await client.call(name, { ...inputFor(name, route), ...(body && { body }) });
      const gained = [...(await credentials())].filter(([key]) => !before.has(key));
      for (const [key, { kind, scopes, expires_at }] of gained) {
        expect(kind, key).toBe('token');
        if ('scopes' in restriction) expect(restriction.scopes, key).toEqual(scopes);
        else expect(expires_at?.toISOString(), key).toBe(SOON);
      }
    }
  },
);

test.each(guarded)('%s refuses an expired token', async (name, route) => {
  expired ??= await expiredToken();
  expect(await as(expired).refusal(name, inputFor(name, route))).toBe('401 token_expired');
});

let expired: string | undefined;
async function expiredToken(): Promise<string> {
  const made = await admin.ok('createToken', { body: { name: 'old', expires_at: SOON } });
  await store.database.query(
    statement<{ id: string }, never>(
      'expire-token',
      `UPDATE tokens SET expires_at = now() - interval '1 s' WHERE id = :id`,
    ),
    { id: made.id },
  );
  return made.token;
}

const lists = guarded.filter(
  ([name, { method, scope, role, params, answers }]) =>
    method === 'get' &&
    scope === 'read' &&
    role === undefined &&
    params === undefined &&
    name !== 'getMe' &&
    !isEventStream(answers[200]),
);

test.each(lists)('%s shows an admin with a read token what a member sees', async (name) => {
  const { client, userId } = await adminWith({ scopes: ['read'] });
  const asAdmin = await client.ok(name);
  await admin.ok('updateUser', { params: { user_id: userId }, body: { role: 'member' } });
  expect(await client.ok(name)).toEqual(asAdmin);
});

test('an unrestricted token has the permissions of a session', async () => {
  const { client, userId } = await adminWith({});
  const params = { user_id: userId };
  expect((await client.ok('createSignInLink', { params })).url).toContain('/sign-in?token=');
  const body = { password: 'a new password' };
  expect(await client.ok('changePassword', { body })).toMatchObject({ has_password: true });
});
