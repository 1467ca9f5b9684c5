import { expect, test } from 'vitest';
import { DEMO_MODEL, execute, says } from '@chatd/test-server/database';
import { inState } from '../store/state-fixtures.ts';
import { startTestServer } from '@chatd/test-server';

const server = await startTestServer();
const { admin, databaseUrl, owner, store, stranger } = server;

async function answered(cost_micros: number | null): Promise<string> {
  const { id } = await store.create();
  const fence = await store.take(id);
  const call = {
    kind: 'turn' as const,
    model_config_id: DEMO_MODEL,
    usage: { input_tokens: 100, output_tokens: 10, cache_read_tokens: 5 },
    cost_micros,
    runtime_ms: 250,
  };
  await store.runner.commitStep(id, fence, { attempt: 0, messages: [says('hello')], call });
  return id;
}

const first = await answered(300);
const second = await answered(null);
const SUMS = {
  calls: 1,
  input_tokens: 100,
  output_tokens: 10,
  reasoning_tokens: 0,
  cache_read_tokens: 5,
  cache_creation_tokens: 0,
  runtime_ms: 250,
  tool_runtime_ms: 0,
};

test('the cost of a chat is reported by model', async () => {
  const cost = await owner.ok('getChatCost', { params: { chat_id: first } });
  expect(cost).toEqual({
    total: { ...SUMS, cost_micros: 300, unpriced_calls: 0 },
    by_model: [{ ...SUMS, cost_micros: 300, unpriced_calls: 0, model_config_id: DEMO_MODEL }],
  });
  const unpriced = await owner.ok('getChatCost', { params: { chat_id: second } });
  expect(unpriced.total).toMatchObject({ cost_micros: 0, unpriced_calls: 1 });
});

test('a chat without an answer has no cost', async () => {
  const { id } = await store.create();
  const cost = await owner.ok('getChatCost', { params: { chat_id: id } });
  expect(cost).toMatchObject({ total: { calls: 0, cost_micros: 0 }, by_model: [] });
});

test('usage is summed over a range by group', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const by = async (group_by: string) => await owner.ok('getUsage', { query: { group_by } });
  expect((await by('day')).total).toMatchObject({ calls: 2, cost_micros: 300, unpriced_calls: 1 });
  expect((await by('day')).groups).toMatchObject([{ key: today, calls: 2 }]);
  expect((await by('chat')).groups.map(({ key }) => key)).toEqual([first, second]);
  expect((await by('model')).groups).toMatchObject([{ key: DEMO_MODEL, calls: 2 }]);
  expect((await by('user')).groups).toMatchObject([{ key: store.owner, calls: 2 }]);
  expect((await by('kind')).groups).toMatchObject([{ key: 'turn', calls: 2 }]);
  const past = { from: '2020-01-01T00:00:00Z', to: '2020-02-01T00:00:00+02:00' };
  expect(await owner.ok('getUsage', { query: past })).toMatchObject({
    total: { calls: 0 },
    groups: [],
  });
});

test('tool runtime is included in the runtime by user and period, and does not count as a call', async () => {
  const { id } = await store.create();
  const fence = await store.take(id);
  const call = {
    kind: 'tools' as const,
    model_config_id: DEMO_MODEL,
    usage: {},
    cost_micros: 0,
    runtime_ms: 4000,
  };
  await store.runner.commitStep(id, fence, { attempt: 0, messages: [says('hello')], call });
  const tools = { ...SUMS, calls: 0, input_tokens: 0, output_tokens: 0, cache_read_tokens: 0 };
  expect(await owner.ok('getChatCost', { params: { chat_id: id } })).toMatchObject({
    total: { ...tools, runtime_ms: 4000, tool_runtime_ms: 4000, unpriced_calls: 0 },
  });
  const byUser = await owner.ok('getUsage', { query: { group_by: 'user' } });
  expect(byUser.groups).toMatchObject([
    { key: store.owner, calls: 2, runtime_ms: 4500, tool_runtime_ms: 4000 },
  ]);
  const byKind = await owner.ok('getUsage', { query: { group_by: 'kind' } });
  expect(byKind.groups).toMatchObject([
    { key: 'turn', calls: 2, tool_runtime_ms: 0 },
    { key: 'tools', calls: 0, runtime_ms: 4000, unpriced_calls: 0 },
  ]);
  const past = { from: '2020-01-01T00:00:00Z', to: '2020-02-01T00:00:00Z' };
  expect((await owner.ok('getUsage', { query: past })).total.tool_runtime_ms).toBe(0);
});

test('usage is kept after the chat is deleted', async () => {
  const { chatId } = await inState(store, 'waiting');
  await execute(
    databaseUrl,
    `INSERT INTO model_calls SELECT owner_id, id, id, model_config_id, timestamptz '2025-06-01', 1, 1, 0, 0, 0, 7, 1
       FROM chats WHERE id = '${chatId}';
     DELETE FROM chats WHERE id = '${chatId}'`,
  );
  const query = { from: '2025-05-01T00:00:00Z', to: '2025-07-01T00:00:00Z', group_by: 'chat' };
  expect((await owner.ok('getUsage', { query })).groups).toMatchObject([
    { key: chatId, cost_micros: 7 },
  ]);
});

test('a user sees only their own usage, and an admin can read the usage of all users, which is logged', async () => {
  expect((await stranger.ok('getUsage')).total.calls).toBe(0);
  expect((await admin.ok('getUsage')).total.calls).toBe(0);
  const all = await admin.ok('getUsage', { query: { all: true, group_by: 'user' } });
  expect(all.groups).toMatchObject([{ key: store.owner, calls: 2 }]);
  expect(server.logged.some((line) => line.includes('reads the usage of all users'))).toBe(true);
});

test('a user sees the spend of the month and the remaining amount', async () => {
  expect(await owner.ok('getMySpend')).toEqual({
    limit_micros: null,
    spent_micros: 300,
    left_micros: null,
    unpriced_calls: 1,
    limits: [],
    since: expect.stringMatching(/-01T00:00:00\.000Z$/),
    resets_at: expect.stringMatching(/-01T00:00:00\.000Z$/),
  });
  await admin.ok('updateSettings', { body: { spend_limit_micros: 1000 } });
  expect(await owner.ok('getMySpend')).toMatchObject({ limit_micros: 1000, left_micros: 700 });
});

test("an admin sets and removes a user's limit, and a member cannot read another user's spend", async () => {
  const params = { user_id: store.owner };
  await admin.ok('updateSettings', { body: { spend_limit_micros: 1000 } });
  const user = await admin.ok('updateUser', { params, body: { spend_limit_micros: 200 } });
  expect(user.spend_limit_micros).toBe(200);
  expect(await admin.ok('getSpend', { params })).toMatchObject({
    limit_micros: 200,
    spent_micros: 300,
    left_micros: 0,
  });
  await admin.ok('updateUser', { params, body: { role: 'member' } });
  expect((await admin.ok('getSpend', { params })).limit_micros).toBe(200);
  await admin.ok('updateUser', { params, body: { spend_limit_micros: null } });
  expect((await admin.ok('getSpend', { params })).limit_micros).toBe(1000);
  expect(server.logged.some((line) => line.includes('reads what a user has spent'))).toBe(true);
  expect((await stranger.call('getSpend', { params })).status).toBe(403);
  await admin.ok('updateSettings', { body: { spend_limit_micros: null } });
});

test('settings are changed field by field', async () => {
  expect(await admin.ok('getSettings')).toMatchObject({
    system_prompt: '',
    approvals: [],
    spend_limit_micros: null,
    retention_days: null,
    allow_private_urls: false,
  });
  await admin.ok('updateSettings', { body: { retention_days: 90 } });
  const changed = await admin.ok('updateSettings', {
    body: { system_prompt: 'Be brief.', approvals: [{ pattern: 'shell', action: 'ask' }] },
  });
  expect(changed).toMatchObject({ retention_days: 90, system_prompt: 'Be brief.' });
  await admin.ok('updateSettings', { body: { retention_days: null } });
  expect(await admin.ok('getSettings')).toEqual({ ...changed, retention_days: null });
});
