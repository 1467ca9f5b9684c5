import { randomUUID } from 'node:crypto';
import { type Route, type RouteName, routes } from '@chatd/protocol';
import { expect, test } from 'vitest';
import { inState } from '../store/state-fixtures.ts';
import { dump } from '../support/dump.ts';
import { type Input, pathFor } from './client.ts';
import { insertWorkspace } from '../../src/store/queries/insert-workspace.ts';
import { uuidv7 } from '../../src/store/uuid.ts';
import { startTestServer } from './server.ts';

const server = await startTestServer();
const { admin, anonymous, databaseUrl, owner, stranger, store } = server;

const chat = await inState(store, 'running+queue');
const deleted = await inState(store, 'deleted');
const file = await owner.ok('uploadFile', {
  query: { name: 'a.txt' },
  raw: 'private',
  headers: { 'content-type': 'text/plain' },
});
const token = await owner.ok('createToken', { body: { name: 'mine' } });

// It takes no keys of users, so that it does not exist for them.
const provider = await admin.ok('createProvider', {
  body: { type: 'openai-compatible', name: 'theirs', base_url: 'http://127.0.0.1:1/v1' },
});
const { model_configs: configs } = await admin.ok('listModelConfigs');

const [workspace] = await store.database.query(insertWorkspace, [
  uuidv7(),
  store.owner,
  'theirs',
  '00000000-0000-7000-8000-000000000003',
  'empty',
  { driver: 'host' },
  randomUUID(),
  'here',
  null,
]);

// It is disabled, so that it does not exist for those who only use it.
const mcpServer = await admin.ok('createMcpServer', {
  body: { name: 'theirs', transport: 'http', url: 'http://127.0.0.1:1/mcp', enabled: false },
});

/** Ids that exist, and are another user's. */
const OWNED: Record<string, string | number> = {
  chat_id: chat.chatId,
  message_id: chat.firstMessageId,
  queued_message_id: chat.queuedId,
  file_id: file.id,
  token_id: token.id,
  user_id: store.owner,
  provider_id: provider.id,
  model_config_id: configs[0]?.id ?? '',
  workspace_id: workspace?.id ?? '',
  template_id: '00000000-0000-7000-8000-000000000003',
  mcp_server_id: mcpServer.id,
};

/** A body that the call would take. */
const BODIES: Partial<Record<RouteName, unknown>> = {
  createChat: { content: 'x' },
  updateChat: { title: 'taken over' },
  markChatRead: { message_id: chat.firstMessageId },
  submitToolResults: { results: [{ tool_call_id: 'c1', output: 1 }] },
  decideApprovals: { decisions: [{ tool_call_id: 'c1', decision: 'allow' }] },
  answerQuestion: { tool_call_id: 'c1', answer: 'x' },
  updateApprovals: { approvals: [] },
  testApprovals: { tool_name: 'execute' },
  forkChat: { message_id: chat.firstMessageId },
  sendMessage: { content: 'x' },
  editMessage: { content: 'x' },
  updateQueuedMessage: { content: 'x' },
  sendUiMessages: {
    messages: [{ id: 'x', role: 'user', parts: [{ type: 'text', text: 'x' }] }],
  },
  createUser: { username: 'somebody' },
  updateUser: { role: 'admin' },
  updateSettings: { system_prompt: 'x' },
  createProvider: { type: 'anthropic', name: 'x' },
  updateProvider: { name: 'x' },
  setOwnKey: { api_key: 'a-key-of-my-own' },
  createModelConfig: { provider_id: provider.id, model: 'x', context_limit: 1000 },
  updateModelConfig: { display_name: 'x' },
  createTemplate: { name: 'x', driver: 'host' },
  updateTemplate: { name: 'x' },
  createWorkspace: { template_id: '00000000-0000-7000-8000-000000000003' },
  createMcpServer: { name: 'x', transport: 'http', url: 'http://127.0.0.1:1/mcp' },
  updateMcpServer: { name: 'x' },
  finishMcpSignIn: { code: 'x', state: 'x' },
};

const all = Object.entries(routes) as [RouteName, Route][];
const idsIn = ({ path }: Route) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');

/** The first id in the path is that of the thing that is owned; those after it are parts of it. */
const paramsFor = (name: RouteName, route: Route, missing: boolean): Input['params'] =>
  Object.fromEntries(
    idsIn(route).map((id, index) => {
      if (missing && index === 0) return [id, randomUUID()];
      return [id, name === 'restoreChat' ? deleted.chatId : (OWNED[id] ?? '')];
    }),
  );

const inputFor = (name: RouteName, route: Route, missing = false): Input => {
  const body = BODIES[name];
  return {
    params: paramsFor(name, route, missing) ?? {},
    ...(body !== undefined && { body }),
  };
};

const owned = all.filter(([, route]) => route.scope !== 'admin' && idsIn(route).length > 0);
const administrative = all.filter(([, route]) => route.scope === 'admin');
const guarded = all.filter(([, route]) => route.scope !== null);

test("every path with an id is about something that is owned, or an admin's", () => {
  expect(owned.length).toBeGreaterThan(15);
  expect(owned.flatMap(([, route]) => idsIn(route)).filter((id) => !(id in OWNED))).toEqual([]);
});

test.each(owned)(
  '%s of another user is answered like one that does not exist',
  async (name, route) => {
    const before = await dump(databaseUrl);
    const theirs = await stranger.call(name, inputFor(name, route));
    const missing = await stranger.call(name, inputFor(name, route, true));
    expect(theirs.status).toBe(404);
    expect(theirs.text).toBe(missing.text);
    const { 'x-request-id': _, date: __, ...headers } = Object.fromEntries(theirs.headers);
    const { 'x-request-id': ___, date: ____, ...others } = Object.fromEntries(missing.headers);
    expect(headers).toEqual(others);
    expect(await dump(databaseUrl)).toBe(before);
  },
);

test.each(owned)('%s: an admin is no exception', async (name, route) => {
  const before = await dump(databaseUrl);
  expect(await admin.refusal(name, inputFor(name, route))).toBe('404 not_found');
  expect(await dump(databaseUrl)).toBe(before);
});

test.each(administrative)('%s is not for members', async (name, route) => {
  const before = await dump(databaseUrl);
  expect(await stranger.refusal(name, inputFor(name, route))).toBe('403 admin_required');
  expect(await stranger.refusal(name, inputFor(name, route, true))).toBe('403 admin_required');
  expect(await dump(databaseUrl)).toBe(before);
});

test.each(guarded)('%s needs a token', async (name, route) => {
  const before = await dump(databaseUrl);
  expect(await anonymous.refusal(name, inputFor(name, route))).toBe('401 unauthenticated');
  expect(await dump(databaseUrl)).toBe(before);
});

test.each(guarded)('%s needs its scope', async (name, route) => {
  const others = (['read', 'write', 'admin', 'metrics'] as const).filter(
    (scope) => scope !== route.scope,
  );
  const { token } = await admin.ok('createToken', { body: { name: 'narrow', scopes: others } });
  const before = await dump(databaseUrl);
  expect(await server.as(token).refusal(name, inputFor(name, route))).toBe(
    '403 insufficient_scope',
  );
  expect(await dump(databaseUrl)).toBe(before);
});

test.each(all)('%s is bound', async (name, route) => {
  const method = route.method.toUpperCase();
  const { status, text } = await anonymous.send(method, pathFor(route, inputFor(name, route)));
  expect([404, 405], text).not.toContain(status);
});

test('files of another user cannot be put into a message', async () => {
  const content = [{ type: 'file', file_id: file.id }];
  const before = await dump(databaseUrl);
  const theirs = await stranger.refused('createChat', { body: { content } });
  expect(theirs).toMatchObject({ status: 400, code: 'unknown_file' });
  expect(await dump(databaseUrl)).toBe(before);
  await owner.ok('createChat', { body: { content } });
});

test("lists hold what is the caller's own", async () => {
  expect((await stranger.ok('listChats')).chats).toEqual([]);
  expect((await stranger.ok('listChats', { query: { q: 'first' } })).chats).toEqual([]);
  expect((await owner.ok('listChats', { query: { q: 'first' } })).chats).not.toEqual([]);
  const { tokens } = await stranger.ok('listTokens');
  expect(tokens.map(({ id }) => id)).not.toContain(token.id);
});

test('an admin sees the chats of all when asked to, and that is logged', async () => {
  expect((await admin.ok('listChats')).chats).toEqual([]);
  const { chats } = await admin.ok('listChats', { query: { all: true } });
  expect(chats.map(({ id }) => id)).toContain(chat.chatId);
  expect(server.logged.some((line) => line.includes('lists the chats of all users'))).toBe(true);
  const { token: reading } = await admin.ok('createToken', {
    body: { name: 'r', scopes: ['read'] },
  });
  expect(await server.as(reading).refusal('listChats', { query: { all: true } })).toBe(
    '403 insufficient_scope',
  );
  const found = await admin.ok('listChats', { query: { all: true, q: 'first' } });
  expect(found.chats.map(({ id }) => id)).toContain(chat.chatId);
});
