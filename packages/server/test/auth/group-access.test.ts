import { describe, expect, test } from 'vitest';
import { DEMO_PROVIDER } from '../../src/store/providers.ts';
import { DEMO_MODEL, execute, INSTANT_DEMO } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { startTestServer } from '@chatd/test-server';

const server = await startTestServer({ concurrency: 4 });
const { admin, databaseUrl, owner, store, stranger } = server;
await execute(databaseUrl, INSTANT_DEMO);

let number = 0;
/** A group with the owner as a member. */
async function newGroup(body: object = {}) {
  const group = await admin.ok('createGroup', {
    body: { name: `group ${(number += 1)}`, ...body },
  });
  const params = { group_id: group.id };
  await admin.ok('updateGroupMembers', { params, body: { add: [store.owner] } });
  return group;
}
const leave = (group_id: string) =>
  admin.ok('updateGroupMembers', { params: { group_id }, body: { remove: [store.owner] } });

const newModel = async (body: object) =>
  await admin.ok('createModelConfig', {
    body: { provider_id: DEMO_PROVIDER, model: 'demo', context_limit: 100_000, ...body },
  });
const newServer = async (name: string, body: object) =>
  await admin.ok('createMcpServer', {
    body: { name, transport: 'http', url: 'http://127.0.0.1:1/mcp', ...body },
  });

const listedModels = async (client: typeof owner) =>
  (await client.ok('listModelConfigs')).model_configs.map(({ id }) => id);
const listedServers = async (client: typeof owner) =>
  (await client.ok('listMcpServers')).mcp_servers.map(({ id }) => id);

const ended = (chat_id: string, status: string) =>
  eventually(async () => {
    const chat = await owner.ok('getChat', { params: { chat_id } });
    expect(chat.status).toBe(status);
    return chat;
  });

describe('a restricted model', async () => {
  const group = await newGroup();
  const { id: model_config_id } = await newModel({ group_ids: [group.id] });

  test('is listed only for members of its groups and for admins', async () => {
    expect(await listedModels(owner)).toContain(model_config_id);
    expect(await listedModels(admin)).toContain(model_config_id);
    expect(await listedModels(stranger)).not.toContain(model_config_id);
    const [own] = (await owner.ok('listModelConfigs')).model_configs;
    expect(own).not.toHaveProperty('group_ids');
  });

  test('does not exist for other members, in any call', async () => {
    const body = { content: 'hello', model_config_id };
    const unknown = '400 unknown_model_config';
    expect(await stranger.refusal('createChat', { body })).toBe(unknown);
    expect(await stranger.refusal('createProject', { body: { name: 'x', model_config_id } })).toBe(
      unknown,
    );
    const project = await stranger.ok('createProject', { body: { name: 'own' } });
    expect(
      await stranger.refusal('updateProject', {
        params: { project_id: project.id },
        body: { model_config_id },
      }),
    ).toBe(unknown);
    const chat = await stranger.ok('createChat', { body: { content: 'hello' } });
    const params = { chat_id: chat.id };
    expect(await stranger.refusal('updateChat', { params, body: { model_config_id } })).toBe(
      unknown,
    );
    expect(await stranger.refusal('sendMessage', { params, body })).toBe(unknown);
    const messages = [{ id: 'x', role: 'user', parts: [{ type: 'text', text: 'x' }] }];
    expect(
      await stranger.refusal('sendUiMessages', { params, body: { messages, model_config_id } }),
    ).toBe(unknown);
  });

  test('is used by members and admins', async () => {
    for (const client of [owner, admin]) {
      const chat = await client.ok('createChat', { body: { content: 'hello', model_config_id } });
      expect(chat.model_config_id).toBe(model_config_id);
    }
  });

  test('is not the default of other members', async () => {
    const params = { model_config_id };
    await admin.ok('updateModelConfig', { params, body: { is_default: true } });
    const chat = await stranger.ok('createChat', { body: { content: 'hello' } });
    expect(chat.model_config_id).not.toBe(model_config_id);
    const own = await owner.ok('createChat', { body: { content: 'hello' } });
    expect(own.model_config_id).toBe(model_config_id);
    await admin.ok('updateModelConfig', {
      params: { model_config_id: DEMO_MODEL },
      body: { is_default: true },
    });
  });

  test('stops the chats of a member who left its groups, and the error says what to do', async () => {
    const other = await newGroup();
    const model = await newModel({ group_ids: [other.id] });
    const body = { content: 'hello', model_config_id: model.id };
    const { id: chat_id } = await owner.ok('createChat', { body });
    await ended(chat_id, 'waiting');
    await leave(other.id);
    // The first message of a fork would fail.
    const { messages } = await owner.ok('listMessages', { params: { chat_id } });
    const fork = { params: { chat_id }, body: { message_id: messages[0]?.id } };
    const refused = await owner.refused('forkChat', fork);
    expect(refused).toMatchObject({ status: 400, code: 'unknown_model_config' });
    expect(refused.detail).toContain('Choose another model');
    await owner.ok('sendMessage', { params: { chat_id }, body: { content: 'again' } });
    const failed = await ended(chat_id, 'error');
    expect(failed.last_error).toMatchObject({
      kind: 'model_restricted',
      retryable: false,
      message: expect.stringContaining('Choose another model, or ask an admin for access.'),
    });
    const change = { content: 'again', model_config_id: DEMO_MODEL };
    await owner.ok('sendMessage', { params: { chat_id }, body: change });
    await ended(chat_id, 'waiting');
  });

  test("generates no titles for other members; the chat's model does", async () => {
    const restricted = await newModel({ group_ids: [] });
    const model = await newModel({ title_model_config_id: restricted.id });
    const body = { content: 'hello', model_config_id: model.id };
    const { id } = await owner.ok('createChat', { body });
    await eventually(async () => {
      const rows = await execute<{ model: string }>(
        databaseUrl,
        `SELECT model_config_id AS model FROM model_calls WHERE chat_id = '${id}' AND kind = 'title'`,
      );
      expect(rows).toEqual([{ model: model.id }]);
    });
  });

  test('stays restricted when its group is deleted', async () => {
    const other = await newGroup();
    const model = await newModel({ group_ids: [other.id] });
    await admin.ok('deleteGroup', { params: { group_id: other.id } });
    const params = { model_config_id: model.id };
    expect((await admin.ok('getModelConfig', { params })).group_ids).toEqual([]);
    expect(await listedModels(owner)).not.toContain(model.id);
    await admin.ok('updateModelConfig', { params, body: { group_ids: null } });
    expect(await listedModels(owner)).toContain(model.id);
    const body = { group_ids: [other.id] };
    expect(await admin.refusal('updateModelConfig', { params, body })).toBe('400 unknown_group');
  });
});

describe('a restricted MCP server', async () => {
  const group = await newGroup();
  const { id } = await newServer('tools', { group_ids: [group.id], default_on: true });

  test('is visible only to members of its groups and to admins', async () => {
    expect(await listedServers(owner)).toContain(id);
    expect(await listedServers(admin)).toContain(id);
    expect(await listedServers(stranger)).not.toContain(id);
    const params = { mcp_server_id: id };
    expect(await stranger.refusal('signInToMcpServer', { params })).toBe('404 not_found');
    expect(await owner.refusal('signInToMcpServer', { params })).toBe('409 mcp_no_sign_in');
  });

  test('is used only in chats of members', async () => {
    const body = { content: 'hello', mcp_server_ids: [id] };
    expect(await stranger.refusal('createChat', { body })).toBe('400 unknown_mcp_server');
    const own = await owner.ok('createChat', { body: { content: 'hello' } });
    expect(own.mcp_server_ids).toContain(id);
    const { id: chat_id, mcp_server_ids } = await stranger.ok('createChat', {
      body: { content: 'hello' },
    });
    expect(mcp_server_ids).not.toContain(id);
    const change = { params: { chat_id }, body: { mcp_server_ids: [id] } };
    expect(await stranger.refusal('updateChat', change)).toBe('400 unknown_mcp_server');
  });

  test('is not part of the context of a chat whose owner has left', async () => {
    const { id: chat_id } = await owner.ok('createChat', { body: { content: 'hello' } });
    const servers = async () =>
      (await owner.ok('getChatContext', { params: { chat_id } })).mcp_servers.map((one) => one.id);
    expect(await servers()).toContain(id);
    await leave(group.id);
    expect(await servers()).not.toContain(id);
  });
});

test('a group that has reached its limit stops the chats of its members', async () => {
  const group = await newGroup({ name: 'Research', spend_limit_micros: 0 });
  const { id } = await owner.ok('createChat', { body: { content: 'hello' } });
  const { last_error } = await ended(id, 'error');
  expect(last_error).toMatchObject({
    kind: 'spend_limit',
    message: expect.stringMatching(
      /^The group Research has reached its spending limit for this month: .* ask an admin/,
    ),
  });
  expect((await owner.ok('getMySpend')).limits).toMatchObject([
    { group_id: group.id, group_name: 'Research', limit_micros: 0, left_micros: 0 },
  ]);
  expect((await stranger.ok('getMySpend')).limits).toEqual([]);
  await leave(group.id);
});

test('usage is reported by group, as JSON and as a table', async () => {
  const [first, second] = [await newGroup(), await newGroup()];
  const query = { group_by: 'group', all: true };
  const { total, groups } = await admin.ok('getUsage', { query });
  const calls = (key: string) => groups.find((one) => one.key === key)?.calls;
  const all = await admin.ok('getUsage', { query: { group_by: 'user', all: true } });
  const own = all.groups.find(({ key }) => key === store.owner)?.calls;
  expect(calls(first.id)).toBe(own);
  expect(calls(second.id)).toBe(own);
  expect(calls('none')).toBe(all.total.calls - (own ?? 0));
  expect(total).toEqual(all.total);

  const table = await admin.call('getUsage', { query, headers: { accept: 'text/csv' } });
  expect(table.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const [head, ...lines] = table.text.split('\r\n');
  expect(head).toMatch(/^key,calls,input_tokens,.*,tool_runtime_ms$/);
  expect(lines.some((line) => line.startsWith(`${first.id},${own},`))).toBe(true);
  expect(lines).toHaveLength(groups.length + 1);
});
