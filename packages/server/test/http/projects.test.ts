import { answer, startFakeProvider, text } from '@chatd/testing';
import { afterAll, expect, test } from 'vitest';
import { eventually } from '@chatd/test-server/eventually';
import { startTestServer } from '@chatd/test-server';

const provider = await startFakeProvider({ api: 'anthropic' });
afterAll(() => provider.close());
const server = await startTestServer({ concurrency: 4, secretKey: 'a-secret-key-of-the-tests' });
const { admin, owner, stranger, store } = server;
const { id: provider_id } = await admin.ok('createProvider', {
  body: { type: 'anthropic', name: 'Fake', base_url: provider.url, api_key: 'sk-ant-any-key' },
});
const { id: model } = await admin.ok('createModelConfig', {
  body: { provider_id, model: 'claude-sonnet-4-5', context_limit: 200_000 },
});

let count = 0;
const project = (over = {}) => {
  count += 1;
  return owner.ok('createProject', { body: { name: `Project ${count}`, ...over } });
};

/** The system prompt of the chat's next turn. */
async function promptOf(body: object, send = false): Promise<string> {
  const from = provider.requests.length;
  provider.answer(answer([text('Done.')]));
  const { chat_id, ...rest } = { chat_id: '', ...body };
  const id = send
    ? (await owner.ok('sendMessage', { params: { chat_id }, body: rest }), chat_id)
    : (await owner.ok('createChat', { body: { title: 'Test', ...rest } })).id;
  await eventually(async () =>
    expect(await owner.ok('getChat', { params: { chat_id: id } })).toMatchObject({
      status: 'waiting',
    }),
  );
  return JSON.stringify(provider.requests[from]?.body);
}

test('projects are created, listed by name, changed, and deleted', async () => {
  const { token } = await owner.ok('createToken', { body: { name: 'alone' } });
  const client = server.as(token);
  const b = await client.ok('createProject', { body: { name: 'beta' } });
  const a = await client.ok('createProject', {
    body: { name: 'Alpha', instructions: 'Be brief.', model_config_id: model },
  });
  expect(a).toMatchObject({ name: 'Alpha', instructions: 'Be brief.', model_config_id: model });
  expect(b).toMatchObject({ instructions: '', model_config_id: null });
  const names = async () => (await client.ok('listProjects')).projects.map(({ name }) => name);
  expect(await names()).toEqual(['Alpha', 'beta']);
  const params = { project_id: b.id };
  expect(await client.refusal('updateProject', { params, body: { name: 'Alpha' } })).toBe(
    '409 project_name_taken',
  );
  expect(await client.refusal('createProject', { body: { name: 'Alpha' } })).toBe(
    '409 project_name_taken',
  );
  expect(
    await client.refusal('createProject', { body: { name: 'c', model_config_id: a.id } }),
  ).toBe('400 unknown_model_config');
  await client.ok('updateProject', { params, body: { instructions: 'Be polite.' } });
  expect(await client.ok('getProject', { params })).toMatchObject({
    name: 'beta',
    instructions: 'Be polite.',
  });
  for (const { id } of [a, b]) await client.ok('deleteProject', { params: { project_id: id } });
  expect(await names()).toEqual([]);
});

test('fields of a project are changed independently, even while its model is disabled', async () => {
  const { id: unused } = await admin.ok('createModelConfig', {
    body: { provider_id, model: 'claude-haiku-4-5', context_limit: 200_000 },
  });
  const { id: project_id } = await project({ model_config_id: unused });
  const params = { project_id };
  await admin.ok('updateModelConfig', {
    params: { model_config_id: unused },
    body: { enabled: false },
  });
  const changed = { instructions: 'Be brief.', model_config_id: unused };
  expect(await owner.ok('updateProject', { params, body: changed })).toMatchObject(changed);
  const bodies = [{ name: 'Renamed' }, { instructions: 'Be kind.' }, { model_config_id: null }];
  await Promise.all(bodies.map((body) => owner.ok('updateProject', { params, body })));
  expect(await owner.ok('getProject', { params })).toMatchObject(Object.assign({}, ...bodies));
});

test("a chat uses its project's model and instructions, between the deployment's and its own", async () => {
  await admin.ok('updateSettings', { body: { system_prompt: 'Deployment first.' } });
  const { id: project_id } = await project({
    instructions: 'Project second.',
    model_config_id: model,
  });
  const prompt = await promptOf({ content: 'Go', project_id, system_prompt: 'Chat third.' });
  const places = ['Deployment first.', 'Project second.', 'Chat third.'].map((part) =>
    prompt.indexOf(part),
  );
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  await admin.ok('updateSettings', { body: { system_prompt: '' } });
});

test('a chat moves between projects with its subagents, and forks stay in the project', async () => {
  const one = await project({ instructions: 'Words of one.' });
  const two = await project({ instructions: 'Words of two.' });
  provider.answer(answer([text('Done.')]));
  const chat = await owner.ok('createChat', {
    body: { content: 'Go', title: 'Test', model_config_id: model, project_id: one.id },
  });
  const params = { chat_id: chat.id };
  await eventually(async () =>
    expect((await owner.ok('getChat', { params })).status).not.toBe('running'),
  );
  const list = async (project_id: string) =>
    (await owner.ok('listChats', { query: { project_id } })).chats.map(({ id }) => id);
  expect(await list(one.id)).toEqual([chat.id]);
  const [first] = await store.history(chat.id);
  const fork = await owner.ok('forkChat', { params, body: { message_id: first?.id } });
  expect(fork.project_id).toBe(one.id);
  expect(await owner.ok('updateChat', { params, body: { project_id: two.id } })).toMatchObject({
    project_id: two.id,
  });
  expect(await list(one.id)).toEqual([fork.id]);
  expect(await list(two.id)).toEqual([chat.id]);
  expect(await promptOf({ chat_id: chat.id, content: 'Again' }, true)).toContain('Words of two.');

  provider.answer(answer([text('Done.')]));
  const parent = { id: chat.id, root_chat_id: null };
  const agent = await store.create({ owner_id: store.owner, parent, model_config_id: model });
  expect(
    await owner.refusal('updateChat', {
      params: { chat_id: agent.id },
      body: { project_id: one.id },
    }),
  ).toBe('409 not_a_root_chat');
  await eventually(async () => expect((await store.read(agent.id)).status).toBe('waiting'));
  expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('Words of two.');
  await owner.ok('updateChat', { params, body: { project_id: null } });
  expect((await owner.ok('getChat', { params })).project_id).toBeUndefined();
});

test('deleting a project keeps its chats, and watchers see the change', async () => {
  const { id: project_id } = await project({ instructions: 'Gone soon.', model_config_id: model });
  const before = await promptOf({ content: 'Go', project_id });
  expect(before).toContain('Gone soon.');
  const [{ id, snapshot_version } = { id: '', snapshot_version: 0 }] = (
    await owner.ok('listChats', { query: { project_id } })
  ).chats;
  await owner.ok('deleteProject', { params: { project_id } });
  const after = await owner.ok('getChat', { params: { chat_id: id } });
  expect(after.project_id).toBeUndefined();
  expect(after.snapshot_version).toBeGreaterThan(snapshot_version);
  expect(await promptOf({ chat_id: id, content: 'Again' }, true)).not.toContain('Gone soon.');
});

test('projects of another user cannot be used', async () => {
  const { id: project_id } = await project();
  expect(await stranger.refusal('createChat', { body: { content: 'x', project_id } })).toBe(
    '400 unknown_project',
  );
  const theirs = await stranger.ok('createChat', { body: { content: 'x' } });
  expect(
    await stranger.refusal('updateChat', {
      params: { chat_id: theirs.id },
      body: { project_id },
    }),
  ).toBe('400 unknown_project');
  expect((await stranger.ok('listChats', { query: { project_id } })).chats).toEqual([]);
});

test('a user with projects can be deleted', async () => {
  const { id: user_id } = await admin.ok('createUser', {
    body: { username: 'leaver', role: 'member' },
  });
  const { token } = await admin.ok('createToken', { body: { name: 'any', user_id } });
  const leaver = server.as(token);
  const { id: project_id } = await leaver.ok('createProject', { body: { name: 'Shop' } });
  await leaver.ok('createChat', { body: { content: 'x', project_id } });
  await admin.ok('deleteUser', { params: { user_id } });
});

test('of concurrent renames to one name, one succeeds', async () => {
  const projects = await Promise.all([1, 2, 3, 4].map(() => project()));
  const groups = await Promise.all(
    [1, 2, 3, 4].map((number) => admin.ok('createGroup', { body: { name: `Group ${number}` } })),
  );
  const body = { name: 'Wanted by all' };
  const renamed = await Promise.all([
    ...projects.map(({ id }) => owner.call('updateProject', { params: { project_id: id }, body })),
    ...groups.map(({ id }) => admin.call('updateGroup', { params: { group_id: id }, body })),
  ]);
  const outcomes = renamed.map(({ status }) => String(status));
  expect(outcomes.slice(0, 4).sort()).toEqual(['200', '409', '409', '409']);
  expect(outcomes.slice(4).sort()).toEqual(['200', '409', '409', '409']);
});
