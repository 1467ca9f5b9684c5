import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { toJson } from '../../src/store/json.ts';
import {
  findWorkspace,
  insertWorkspace,
  moveWorkspace,
} from '../../src/store/queries/workspaces.ts';
import { uuidv7 } from '../../src/store/uuid.ts';
import { ApiClient, startServerOn, startTestServer } from '@chatd/test-server';
import { eventStream, webSocket } from '../stream/clients.ts';
import { dump } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';

/* Two replicas. Neither checks open streams by itself, so only a message between them ends a stream. */
const NEVER = 2 ** 31 - 1;
const options = { streams: { timing: { revokedMs: NEVER } } };
const first = await startTestServer({ concurrency: 8 }, options);
const second = await startServerOn(first.databaseUrl, {}, options);
const { admin, anonymous, databaseUrl } = first;

const SLOW = 'be slow for 10 minutes';

async function member(more: object = {}) {
  const username = `u-${randomUUID()}`;
  const user = await admin.ok('createUser', { body: { username, ...more } });
  const { token } = await admin.ok('createToken', { body: { name: 'x', user_id: user.id } });
  return { user, params: { user_id: user.id }, here: first.as(token), there: second.as(token) };
}

/** A member with a password and a signed-in browser. */
async function signedIn() {
  const password = 'correct horse';
  const made = await member({ password });
  const credentials = { username: made.user.username, password };
  const { headers } = await anonymous.call('signIn', { body: credentials });
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  const browser = new ApiClient(first.url, { cookie, origin: first.url });
  await browser.ok('getMe');
  return { ...made, credentials, browser };
}

const suspend = (user_id: string, suspended = true) =>
  admin.ok('updateUser', { params: { user_id }, body: { suspended } });

const status = async (client: ApiClient, chat_id: string) =>
  (await client.ok('getChat', { params: { chat_id } })).status;

test('after suspension, the next request of the user gets 401, by token and session, on every replica', async () => {
  const { user, params, here, there, browser, credentials } = await signedIn();
  const link = await admin.ok('createSignInLink', { params });
  expect(await suspend(user.id)).toMatchObject({ suspended: true });
  for (const client of [here, there, browser]) {
    expect(await client.refusal('getMe')).toBe('401 unauthenticated');
  }
  expect((await here.refused('getMe')).detail).toContain('suspended');
  expect(await anonymous.refusal('signIn', { body: credentials })).toBe('401 invalid_credentials');
  const { pathname, search } = new URL(link.url);
  expect((await anonymous.send('GET', `${pathname}${search}`)).status).toBe(401);
});

test('lifting a suspension restores tokens, but not sessions or links', async () => {
  const { user, params, here, browser, credentials } = await signedIn();
  const link = await admin.ok('createSignInLink', { params });
  await suspend(user.id);
  expect(await suspend(user.id, false)).toMatchObject({ suspended: false });
  await here.ok('getMe');
  expect(await browser.refusal('getMe')).toBe('401 unauthenticated');
  const { pathname, search } = new URL(link.url);
  expect((await anonymous.send('GET', `${pathname}${search}`)).status).toBe(401);
  await anonymous.ok('signIn', { body: credentials });
});

test('a wrong password does not reveal whether an account is suspended', async () => {
  const { user, credentials } = await signedIn();
  await suspend(user.id);
  const wrong = { body: { ...credentials, password: 'wrong' } };
  expect((await anonymous.refused('signIn', wrong)).detail).not.toContain('suspended');
});

test.each([
  ['suspending the user', (user_id: string) => suspend(user_id)],
  ['deleting the user', (user_id: string) => admin.ok('deleteUser', { params: { user_id } })],
  [
    'a revoked token',
    async (user_id: string) => {
      const { tokens } = await admin.ok('listUserTokens', { params: { user_id } });
      for (const { id: token_id } of tokens) {
        await admin.ok('deleteUserToken', { params: { user_id, token_id } });
      }
    },
  ],
])('%s ends open streams on every replica immediately', async (_, lockOut) => {
  const { user, here, there } = await member();
  const opened = [
    await eventStream(here, '/watch'),
    await eventStream(there, '/watch'),
    await webSocket(there, '/watch'),
  ];
  await lockOut(user.id);
  for (const { received } of opened) await received.ended();
});

test('concurrent requests delete a user once, and changes to a deleted user are refused', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { user, params } = await member();
    const requests = Array.from({ length: 4 }, () => admin.call('deleteUser', { params }));
    const change = admin.call('updateUser', { params, body: { spend_limit_micros: 1 } });
    const statuses = (await Promise.all(requests)).map((response) => response.status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([204, 404, 404, 404]);
    expect([200, 404]).toContain((await change).status);
    const query = { action: 'user.delete', target_id: user.id } as const;
    const { audit_events: events } = await admin.ok('listAuditEvents', { query });
    expect(events).toHaveLength(1);
  }
});

const idle = (id: string) =>
  eventually(async () => {
    const chat = await first.store.read(id);
    expect(['waiting', 'error']).toContain(chat.status);
    return chat;
  });

test('suspension interrupts running turns, and queued messages do not run', async () => {
  const { user, here } = await member();
  const content = SLOW;
  const alone = await here.ok('createChat', { body: { content } });
  const queued = await here.ok('createChat', { body: { content } });
  await here.ok('sendMessage', { params: { chat_id: queued.id }, body: { content: 'next' } });
  await suspend(user.id);
  expect(await idle(alone.id)).toMatchObject({ status: 'waiting' });
  expect(await idle(queued.id)).toMatchObject({
    status: 'error',
    last_error: expect.objectContaining({
      message: expect.stringContaining('suspended') as string,
    }) as object,
  });
});

test('suspension stops the workspaces of the user', async () => {
  const { user } = await member();
  const { database } = first.store;
  const id = uuidv7();
  const template = '00000000-0000-7000-8000-000000000003';
  const host = randomUUID();
  await database.query(insertWorkspace, {
    id,
    owner_id: user.id,
    name: 'w',
    template_id: template,
    template_name: 'empty',
    definition: toJson({ driver: 'host' }),
    host_id: host,
    host_name: 'here',
    made_by_call: null,
  });
  await database.query(moveWorkspace, { id, status: 'ready', sources: ['creating'], error: null });
  await suspend(user.id);
  const [workspace] = await database.query(findWorkspace, { id });
  expect(workspace).toMatchObject({ status: 'stopped' });
});

test('the last active admin cannot be suspended', async () => {
  const { id: user_id } = await admin.ok('getMe');
  const other = await member({ role: 'admin' });
  await suspend(other.user.id);
  const body = { suspended: true };
  expect(await admin.refusal('updateUser', { params: { user_id }, body })).toBe('409 last_admin');
  expect(await admin.refusal('updateUser', { params: { user_id }, body: { role: 'member' } })).toBe(
    '409 last_admin',
  );
});

test('an admin lists and revokes tokens of a user, and only of that user', async () => {
  const { params, here, user } = await member();
  const stranger = await member();
  const { tokens } = await admin.ok('listUserTokens', { params });
  expect(tokens).toMatchObject([{ user_id: user.id, name: 'x' }]);
  expect(tokens[0]).not.toHaveProperty('token');
  const token_id = tokens[0]?.id ?? '';
  const before = await dump(databaseUrl);
  const mixed = { params: { ...stranger.params, token_id } };
  expect(await admin.refusal('deleteUserToken', mixed)).toBe('404 not_found');
  expect(await dump(databaseUrl)).toBe(before);
  await admin.ok('deleteUserToken', { params: { ...params, token_id } });
  expect(await here.refusal('getMe')).toBe('401 unauthenticated');
});

test('an admin interrupts one chat or all chats of a user', async () => {
  const { params, here } = await member();
  const chats = await Promise.all(
    [1, 2, 3].map(() => here.ok('createChat', { body: { content: SLOW } })),
  );
  const [one, ...others] = chats.map(({ id }) => id);
  const stranger = await member();
  const theirs = await stranger.here.ok('createChat', { body: { content: SLOW } });
  const chosen = { chat_ids: [one ?? '', theirs.id] };
  expect(await admin.ok('interruptUser', { params, body: chosen })).toEqual({ chat_ids: [one] });
  const all = await admin.ok('interruptUser', { params, body: {} });
  expect(all.chat_ids.toSorted()).toEqual(expect.arrayContaining(others.toSorted()));
  for (const { id } of chats) {
    await eventually(async () => expect(await status(here, id)).toBe('waiting'));
  }
  expect(await status(stranger.here, theirs.id)).toBe('running');
  await admin.ok('interruptUser', { params: stranger.params, body: {} });
});

test("after a user with a running chat is deleted, the worker continues with other users' chats", async () => {
  const { user, params, here } = await member();
  const stranger = await member();
  const chat = await here.ok('createChat', { body: { content: SLOW } });
  await eventually(async () => expect((await first.store.read(chat.id)).attempt).toBe(1));
  await admin.ok('deleteUser', { params });
  expect(await here.refusal('getMe')).toBe('401 unauthenticated');
  const next = await stranger.here.ok('createChat', { body: { content: 'hello' } });
  await eventually(async () => expect(await status(stranger.here, next.id)).toBe('waiting'));
  expect(await dump(databaseUrl, ['audit_events', 'model_calls'])).not.toContain(user.id);
  expect(first.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
});
