import { createHash } from 'node:crypto';
import { type Route, routes } from '@chatd/protocol';
import { describe, expect, test } from 'vitest';
import { runHousekeeping } from '../../src/housekeeping.ts';
import { createLog } from '../../src/log.ts';
import { createTestDatabase, dump, execute } from '@chatd/test-server/database';
import { ADMIN_TOKEN, spawnServer, startTestServer } from '@chatd/test-server';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { inState } from '../store/state-fixtures.ts';

const { admin, anonymous, as, databaseUrl, owner, store } = await startTestServer({
  secretKey: 'a-secret-key-of-the-tests',
});
const single = await startTestServer({ databaseConnections: 1 });

const events = async (filter: Record<string, string> = {}) =>
  (await admin.ok('listAuditEvents', { query: filter })).audit_events;

const count = async (action: string) => (await events({ action })).length;

const newest = async (action: string) => (await events({ action }))[0];

test('every change that requires an admin is recorded', () => {
  const unrecorded = Object.entries<Route>(routes)
    .filter(([, { scope, method }]) => scope === 'admin' && method !== 'get')
    .filter(([, { audit }]) => audit === undefined)
    .map(([name]) => name);
  // These only call a provider or an MCP server.
  expect(unrecorded.sort()).toEqual(['testMcpServer', 'testModelConfig', 'testProvider']);
});

describe('an event', () => {
  test('names the actor, the target, and the changed values', async () => {
    const user = await admin.ok('createUser', {
      body: { username: 'ada', password: 'first secret' },
    });
    const body = { role: 'auditor', password: 'second secret', spend_limit_micros: 5 };
    await admin.ok('updateUser', { params: { user_id: user.id }, body });
    const me = await admin.ok('getMe');
    expect(await newest('user.create')).toMatchObject({
      actor_kind: 'user',
      actor_id: me.id,
      actor_name: me.username,
      ip: '127.0.0.1',
      target_kind: 'user',
      target_id: user.id,
      detail: { username: 'ada', role: 'member', changed: ['password'] },
    });
    const update = await newest('user.update');
    expect(update?.token_id).not.toBeNull();
    expect(update?.detail).toEqual({
      role: 'auditor',
      spend_limit_micros: 5,
      changed: ['password'],
    });
  });

  test('contains no secret', async () => {
    const { token } = await owner.ok('createToken', { body: { name: 'ci', scopes: ['read'] } });
    const link = await admin.ok('createSignInLink', { params: { user_id: store.owner } });
    const machine = await admin.ok('createMachine', { body: { name: 'box' } });
    const params = { machine_id: machine.id };
    const rotated = await admin.ok('rotateMachineToken', { params });
    const verifier = 'a-verifier-of-the-command-0123456789';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const login = await owner.ok('createCliLoginCode', { body: { challenge, name: 'laptop' } });
    const { code } = login;
    const signedIn = await anonymous.ok('finishCliLogin', { body: { code, verifier } });
    const device = await anonymous.ok('startCliLogin', { body: { name: 'server' } });
    await owner.ok('approveCliLogin', { body: { user_code: device.user_code } });
    await admin.ok('updateSettings', { body: { allow_chat_links: true } });
    const shared = await owner.ok('replaceChatSharing', {
      params: { chat_id: (await store.create()).id },
      body: { grants: [], link: {} },
    });
    const server = {
      name: 'files',
      transport: 'stdio',
      command: 'true',
      env: { KEY: 'env secret' },
    };
    await admin.ok('createMcpServer', { body: server });
    const provider = await admin.ok('createProvider', {
      body: { type: 'anthropic', name: 'Claude', api_key: 'key-secret', allow_user_keys: true },
    });
    const own = { params: { provider_id: provider.id }, body: { api_key: 'own-key-secret' } };
    await owner.ok('setOwnKey', own);
    const written = await execute<{ event: string }>(
      databaseUrl,
      'SELECT audit_events::text AS event FROM audit_events',
    );
    const text = written.map(({ event }) => event).join('\n');
    expect(text).toContain('token.create');
    const secrets = [
      token,
      signedIn.token,
      machine.token,
      rotated.token,
      ADMIN_TOKEN,
      link.url.split('token=')[1],
      shared.link?.url?.split('#')[1],
      code,
      verifier,
      challenge,
      device.code,
      device.user_code,
      'env secret',
      'key-secret',
      'own-key-secret',
      'first secret',
      'second secret',
    ];
    for (const secret of secrets) {
      expect(secret?.length).toBeGreaterThan(8);
      expect(text).not.toContain(secret);
    }
  });

  test('is written once for a repeated request, and not for a refused one', async () => {
    const [created, updated] = [await count('user.create'), await count('settings.update')];
    await admin.ok('createUser', { body: { username: 'grace' } });
    expect(await admin.refusal('createUser', { body: { username: 'grace' } })).toBe(
      '409 username_taken',
    );
    const keyed = { headers: { 'idempotency-key': 'once' }, body: { max_steps_per_turn: 7 } };
    await admin.ok('updateSettings', keyed);
    await admin.ok('updateSettings', keyed);
    expect(await count('user.create')).toBe(created + 1);
    expect(await count('settings.update')).toBe(updated + 1);
    expect((await newest('settings.update'))?.detail).toEqual({ max_steps_per_turn: 7 });
  });

  test('records sign-ins, and failed ones without the name of an unknown user', async () => {
    const { id } = await admin.ok('createUser', {
      body: { username: 'signs-in', password: 'correct horse' },
    });
    await anonymous.ok('signIn', { body: { username: 'signs-in', password: 'correct horse' } });
    expect(await newest('user.sign_in')).toMatchObject({
      action: 'user.sign_in',
      actor_id: id,
      detail: { by: 'password' },
    });
    for (const username of ['signs-in', 'my secret password']) {
      await anonymous.refusal('signIn', { body: { username, password: 'wrong password' } });
    }
    const [unknown, known] = await events({ action: 'user.sign_in_failed' });
    expect(known).toMatchObject({ actor_kind: 'anonymous', target_id: id });
    expect(unknown).toMatchObject({ actor_kind: 'anonymous', actor_name: null, target_id: null });
    expect(await dump(databaseUrl)).not.toContain('my secret password');
  });

  test('records approval rules that a decision adds', async () => {
    const { chatId: chat_id } = await inState(store, 'requires_action', 'approval');
    const decide = (tool_call_id: string, more: object) =>
      owner.ok('decideApprovals', {
        params: { chat_id },
        body: { decisions: [{ tool_call_id, decision: 'allow', ...more }] },
      });
    await decide('c1', {});
    expect(await count('user.update_approvals')).toBe(0);
    await decide('c2', { remember: 'always' });
    expect(await events({ action: 'user.update_approvals' })).toMatchObject([
      { actor_id: store.owner, target_id: store.owner, detail: { remembered: 1, chat_id } },
    ]);
  });

  test('records reads of other users, and exports', async () => {
    const chat = await store.create();
    await admin.ok('listChats', { query: { all: true } });
    await admin.ok('listChats');
    await owner.call('exportChat', { params: { chat_id: chat.id }, query: { format: 'json' } });
    expect(await events({ action: 'chat.list_all' })).toHaveLength(1);
    expect(await newest('chat.export')).toMatchObject({ target_id: chat.id });
  });
});

describe('the audit log', () => {
  test('is readable by admins and auditors', async () => {
    expect(await owner.refusal('listAuditEvents')).toBe('403 admin_required');
    const { id } = await admin.ok('createUser', { body: { username: 'vera', role: 'auditor' } });
    const { token } = await admin.ok('createToken', { body: { name: 'x', user_id: id } });
    const vera = as(token);
    expect((await vera.ok('listAuditEvents')).audit_events.length).toBeGreaterThan(0);
    expect(await vera.refusal('listUsers')).toBe('403 admin_required');
    const narrow = await admin.ok('createToken', { body: { name: 'y', scopes: ['read'] } });
    expect(await as(narrow.token).refusal('listAuditEvents')).toBe('403 insufficient_scope');
  });

  test('has pages, filters, and an export', async () => {
    const all = await events({ limit: '200' });
    const pages: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: Record<string, string> = { limit: '3', ...(cursor !== '' && { cursor }) };
      const page = await admin.ok('listAuditEvents', { query });
      pages.push(...page.audit_events.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(pages).toEqual(all.map(({ id }) => id));
    const { id } = await admin.ok('getMe');
    const mine = await events({ actor_id: id, action: 'user.', limit: '200' });
    expect(mine).toEqual(
      all.filter((event) => event.actor_id === id && event.target_kind === 'user'),
    );
    const since = all[4]?.at ?? '';
    const { text } = await admin.call('exportAuditEvents', { query: { since } });
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { at: string });
    expect(lines.map(({ at }) => at)).toEqual(lines.map(({ at }) => at).toSorted());
    expect(lines.length).toBeGreaterThanOrEqual(5);
    expect(await newest('audit_log.export')).toMatchObject({ detail: { changed: ['since'] } });
  });

  test('deletes only old events', async () => {
    await execute(
      databaseUrl,
      `UPDATE audit_events SET at = now() - interval '31 days' WHERE action = 'token.create'`,
    );
    const log = createLog({
      level: 'silent',
      secrets: [],
      readable: false,
      write: () => undefined,
    });
    await runHousekeeping(store, log, { auditRetentionDays: 30 });
    expect(await events({ action: 'token.' })).toEqual([]);
    expect((await events()).length).toBeGreaterThan(0);
  });
});

test('recorded changes need one connection and hold no transaction open while they wait', async () => {
  const { admin, as, store } = single;
  const password = 'correct horse';
  const { id } = await admin.ok('createUser', { body: { username: 'busy', password } });
  const { token } = await admin.ok('createToken', { body: { name: 'x', user_id: id } });
  await as(token).ok('changePassword', {
    body: { current_password: password, password: 'battery staple' },
  });
  const chat = await store.create({ owner_id: id });
  const params = { user_id: id };
  const { chat_ids } = await admin.ok('interruptUser', { params, body: {} });
  expect(chat_ids).toEqual([chat.id]);
  await admin.ok('deleteUser', { params });
  const { audit_events } = await admin.ok('listAuditEvents', {
    query: { target_id: id, action: 'user.' },
  });
  expect(audit_events.map(({ action }) => action)).toEqual([
    'user.delete',
    'user.interrupt',
    'user.change_password',
    'user.create',
  ]);
});

test('a change and its event are written atomically, even when the server is killed', async () => {
  const { url } = await createTestDatabase();
  // Holds the transaction between the change and its commit.
  await execute(
    url,
    `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN PERFORM pg_sleep(2); RETURN NEW; END $$`,
  );
  await execute(
    url,
    `CREATE TRIGGER hold BEFORE INSERT ON audit_events FOR EACH ROW
       WHEN (NEW.detail->>'username' = 'held') EXECUTE FUNCTION hold()`,
  );
  const server = await spawnServer(await makeTemporaryDirectory(), {
    env: { CHATD_DATABASE_URL: url, CHATD_LOCAL_MACHINE: '0' },
  });
  await server.client.ok('createUser', { body: { username: 'kept' } });
  const cut = server.client.call('createUser', { body: { username: 'held' } });
  cut.catch(() => undefined);
  const held = async () =>
    (
      await execute<object>(
        url,
        `SELECT 1 FROM pg_stat_activity WHERE query LIKE 'INSERT INTO audit_events%' AND state = 'active' AND wait_event = 'PgSleep'`,
      )
    ).length > 0;
  while (!(await held()));
  server.child.kill('SIGKILL');
  await expect(cut).rejects.toThrow('fetch failed');
  while (await held());
  const users = await execute<{ username: string }>(
    url,
    `SELECT username FROM users WHERE username IN ('kept', 'held')`,
  );
  const recorded = await execute<{ username: string }>(
    url,
    `SELECT detail->>'username' AS username FROM audit_events WHERE action = 'user.create'`,
  );
  expect(users).toEqual([{ username: 'kept' }]);
  expect(recorded).toEqual([{ username: 'kept' }]);
});
