import { expect, test } from 'vitest';
import { calls, DEMO_MODEL, execute, says } from '@chatd/test-server/database';
import { inState } from '../store/state-fixtures.ts';
import { startTestServer } from '@chatd/test-server';

const { owner, admin, store, databaseUrl } = await startTestServer();

test('a new chat runs with its first message and takes its title from it', async () => {
  const chat = await owner.ok('createChat', {
    body: { content: 'What is  a\nmonad?', labels: { team: 'a' }, plan_mode: true },
  });
  expect(chat).toMatchObject({
    title: 'What is a monad?',
    status: 'running',
    owner_id: store.owner,
    model_config_id: DEMO_MODEL,
    labels: { team: 'a' },
    plan_mode: true,
    has_unread: false,
    snapshot_version: 1,
  });
  const { messages, queued_messages, has_more } = await owner.ok('listMessages', {
    params: { chat_id: chat.id },
  });
  expect(messages).toEqual([
    expect.objectContaining({
      role: 'user',
      created_by: store.owner,
      content: [{ type: 'text', text: 'What is  a\nmonad?' }],
    }),
  ]);
  expect([queued_messages, has_more]).toEqual([[], false]);
  expect(await owner.ok('getChat', { params: { chat_id: chat.id } })).toEqual(chat);
});

test('a message to an idle chat enters the history, a message to a busy chat enters the queue', async () => {
  const { chatId } = await inState(store, 'waiting');
  const params = { chat_id: chatId };
  const first = await owner.call('sendMessage', { params, body: { content: 'now' } });
  expect(first.status).toBe(201);
  expect(JSON.parse(first.text)).toMatchObject({
    queued: false,
    message: { role: 'user', content: [{ type: 'text', text: 'now' }] },
  });
  const second = await owner.call('sendMessage', {
    params,
    body: { content: 'later', busy_behavior: 'steer', reasoning_effort: 'low' },
  });
  expect(second.status).toBe(202);
  expect(JSON.parse(second.text)).toMatchObject({
    queued: true,
    queued_message: { busy_behavior: 'steer', reasoning_effort: 'low' },
  });
});

test('a message to a chat in error is queued behind earlier messages', async () => {
  const { chatId } = await inState(store, 'error+queue');
  const sent = await owner.ok('sendMessage', {
    params: { chat_id: chatId },
    body: { content: 'again' },
  });
  expect(sent).toMatchObject({
    queued: true,
    queued_message: { content: [{ type: 'text', text: 'again' }] },
  });
});

test('the response to a message that replaces awaited tool results contains the message', async () => {
  const { chatId } = await inState(store, 'requires_action');
  const sent = await owner.ok('sendMessage', {
    params: { chat_id: chatId },
    body: { content: 'never mind', busy_behavior: 'interrupt' },
  });
  expect(sent).toMatchObject({
    queued: false,
    message: { role: 'user', content: [{ type: 'text', text: 'never mind' }] },
  });
});

test('queued messages can be changed, reordered, deleted, and promoted', async () => {
  const { chatId, queuedId } = await inState(store, 'running+queue');
  const params = { chat_id: chatId };
  const { queued_message: other } = (await owner.ok('sendMessage', {
    params,
    body: { content: 'other' },
  })) as { queued_message: { id: number } };
  const changed = await owner.ok('updateQueuedMessage', {
    params: { ...params, queued_message_id: other.id },
    body: { content: 'changed', position: 0 },
  });
  expect(changed.content).toEqual([{ type: 'text', text: 'changed' }]);
  const order = async () =>
    (await owner.ok('listMessages', { params })).queued_messages.map(({ id }) => id);
  expect(await order()).toEqual([other.id, queuedId]);
  await owner.ok('deleteQueuedMessage', { params: { ...params, queued_message_id: other.id } });
  expect(await order()).toEqual([queuedId]);
  await owner.ok('promoteQueuedMessage', { params: { ...params, queued_message_id: queuedId } });
  expect((await owner.ok('getChat', { params })).status).toBe('interrupting');
});

test('editing a message drops later messages and runs the chat', async () => {
  const { chatId, firstMessageId } = await inState(store, 'waiting');
  const [, answer] = await store.history(chatId);
  const edited = await owner.ok('editMessage', {
    params: { chat_id: chatId, message_id: firstMessageId },
    body: { content: 'better' },
  });
  expect(edited).toMatchObject({
    message: { id: firstMessageId, content: [{ type: 'text', text: 'better' }] },
    deleted_message_ids: [answer?.id],
  });
  expect((await owner.ok('getChat', { params: { chat_id: chatId } })).status).toBe('running');
});

test('an answer is regenerated, and the earlier answer is selected again', async () => {
  const { chatId, firstMessageId } = await inState(store, 'waiting');
  const params = { chat_id: chatId };
  expect((await owner.ok('listVersions', { params })).branches).toEqual([]);
  const [, answer] = await store.history(chatId);
  const again = await owner.ok('regenerateAnswer', {
    params: { ...params, message_id: answer!.id },
    body: {},
  });
  expect(again.status).toBe('running');
  const { branches } = await owner.ok('listVersions', { params });
  expect(branches).toMatchObject([
    {
      after_message_id: firstMessageId,
      versions: [
        { current: false, message_id: answer!.id, text: 'hello' },
        { current: true, message_id: null, text: '' },
      ],
    },
  ]);
  const select = { params: { ...params, version_id: branches[0]!.versions[0]!.id } };
  expect(await owner.refusal('selectVersion', select)).toBe('409 chat_active');
  await store.runner.finishTurn(chatId, await store.take(chatId));
  expect((await owner.ok('selectVersion', select)).status).toBe('waiting');
  const { messages } = await owner.ok('listMessages', { params });
  expect(messages.map(({ id }) => id)).toEqual([firstMessageId, answer!.id]);
});

test('title, pin, labels, tools, and archiving change atomically in one request', async () => {
  const { chatId } = await inState(store, 'waiting');
  const params = { chat_id: chatId };
  const tools = [{ name: 'add', description: '', input_schema: { type: 'object' } }];
  const changed = await owner.ok('updateChat', {
    params,
    body: {
      title: ' New ',
      pin_order: 3,
      labels: { a: 'b' },
      dynamic_tools: tools,
      reasoning_effort: 'high',
      archived: true,
    },
  });
  expect(changed).toMatchObject({
    title: 'New',
    pin_order: 3,
    labels: { a: 'b' },
    dynamic_tools: tools,
    reasoning_effort: 'high',
    archived: true,
  });
  const busy = await inState(store, 'running');
  const before = await owner.ok('getChat', { params: { chat_id: busy.chatId } });
  expect(
    await owner.refusal('updateChat', {
      params: { chat_id: busy.chatId },
      body: { title: 'Other', archived: true },
    }),
  ).toBe('409 chat_active');
  expect(await owner.ok('getChat', { params: { chat_id: busy.chatId } })).toEqual(before);
});

test('labels are changed by name, even concurrently, and other labels stay', async () => {
  const body = { content: 'x', labels: { team: 'ops', draft: 'yes', kept: 'as it is' } };
  const { id } = await owner.ok('createChat', { body });
  const change = (labels: object | null) =>
    owner.ok('updateChat', { params: { chat_id: id }, body: { labels } });
  expect((await change({ team: 'web', draft: null, never: null })).labels).toEqual({
    team: 'web',
    kept: 'as it is',
  });
  await Promise.all(Array.from({ length: 10 }, (_, index) => change({ [`l${index}`]: 'x' })));
  const { labels, ...before } = await owner.ok('getChat', { params: { chat_id: id } });
  expect(Object.keys(labels)).toHaveLength(12);
  expect(await change({})).toMatchObject({ labels, updated_at: before.updated_at });
  expect((await change(null)).labels).toEqual({});
});

test('added labels cannot exceed the limit of a chat', async () => {
  const fifty = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`l${index}`, '']));
  const { id } = await owner.ok('createChat', { body: { content: 'x', labels: fifty } });
  const params = { chat_id: id };
  expect(await owner.refusal('updateChat', { params, body: { labels: { more: '' } } })).toBe(
    '400 invalid_labels',
  );
  const exchanged = await owner.ok('updateChat', {
    params,
    body: { labels: { more: '', l0: null } },
  });
  expect(Object.keys(exchanged.labels)).toHaveLength(50);
  for (const labels of [{ '!': 'x' }, { '!': null }, { a: 1 }, ['a'], 'a']) {
    expect(await owner.refusal('updateChat', { params, body: { labels } })).toBe(
      '400 invalid_body',
    );
  }
});

test('the system prompt of a chat can be changed and removed', async () => {
  const body = { content: 'x', system_prompt: 'Be brief.' };
  const { id } = await owner.ok('createChat', { body });
  const change = (system_prompt: string | null) =>
    owner.ok('updateChat', { params: { chat_id: id }, body: { system_prompt } });
  expect(await change('Be kind.')).toMatchObject({ system_prompt: 'Be kind.' });
  expect(await owner.ok('getChat', { params: { chat_id: id } })).toMatchObject({
    system_prompt: 'Be kind.',
  });
  expect(await change(null)).not.toHaveProperty('system_prompt');
});

test('an empty change does not increase the version', async () => {
  const { chatId } = await inState(store, 'waiting');
  const before = await owner.ok('getChat', { params: { chat_id: chatId } });
  expect(await owner.ok('updateChat', { params: { chat_id: chatId }, body: {} })).toEqual(before);
});

test('a deleted chat can only be restored', async () => {
  const { chatId, firstMessageId } = await inState(store, 'waiting');
  const params = { chat_id: chatId };
  await owner.ok('deleteChat', { params });
  expect(await owner.refusal('getChat', { params })).toBe('404 not_found');
  expect(await owner.refusal('listMessages', { params })).toBe('404 not_found');
  expect(await owner.refusal('deleteChat', { params })).toBe('404 not_found');
  expect(await owner.refusal('forkChat', { params, body: { message_id: firstMessageId } })).toBe(
    '404 not_found',
  );
  const { chats } = await owner.ok('listChats', { query: { limit: 200 } });
  expect(chats.map(({ id }) => id)).not.toContain(chatId);
  expect(await owner.ok('restoreChat', { params })).toMatchObject({ id: chatId });
  expect(await owner.refusal('restoreChat', { params })).toBe('404 not_found');
  expect(await owner.ok('getChat', { params })).toMatchObject({ status: 'waiting' });
});

test('an answer is unread until the user reads it', async () => {
  const { chatId } = await inState(store, 'waiting');
  const params = { chat_id: chatId };
  expect((await owner.ok('getChat', { params })).has_unread).toBe(true);
  const last = (await store.history(chatId)).at(-1);
  await owner.ok('markChatRead', { params, body: { message_id: last?.id } });
  expect((await owner.ok('getChat', { params })).has_unread).toBe(false);
});

test('interrupting stops a running chat', async () => {
  const { chatId } = await inState(store, 'running');
  expect(await owner.ok('interruptChat', { params: { chat_id: chatId } })).toMatchObject({
    status: 'interrupting',
  });
});

test('the results of dynamic tools continue the chat', async () => {
  const { chatId } = await inState(store, 'requires_action');
  const params = { chat_id: chatId };
  await owner.ok('submitToolResults', {
    params,
    body: {
      results: [
        { tool_call_id: 'c1', output: { sum: 3 } },
        { tool_call_id: 'c2', output: 'no', is_error: true },
      ],
    },
  });
  const { messages } = await owner.ok('listMessages', { params });
  expect(messages.at(-1)).toMatchObject({
    role: 'tool',
    content: [
      { type: 'tool-result', tool_call_id: 'c1', result: { sum: 3 } },
      { type: 'tool-result', tool_call_id: 'c2', result: 'no', is_error: true },
    ],
  });
  expect((await owner.ok('getChat', { params })).status).toBe('running');
});

test('a compaction is recorded for the worker', async () => {
  const { chatId } = await inState(store, 'waiting');
  const chat = await owner.ok('compactChat', { params: { chat_id: chatId } });
  expect(chat.status).toBe('running');
  expect((await store.read(chatId)).compaction_requested).toBe(true);
});

test('a fork is a new chat with the history up to a message', async () => {
  const { chatId, firstMessageId } = await inState(store, 'waiting');
  const fork = await owner.ok('forkChat', {
    params: { chat_id: chatId },
    body: { message_id: firstMessageId },
  });
  expect(fork).toMatchObject({ status: 'waiting', title: 'Test (fork)' });
  expect(await store.story(fork.id)).toEqual(['user: first']);
});

test('internal fields never leave the server', async () => {
  const { id } = await store.create();
  const fence = await store.take(id);
  await store.runner.commitStep(id, fence, {
    attempt: 0,
    messages: [
      {
        ...says('hello'),
        meta: { finish_reason: 'stop' },
        content: [
          { type: 'reasoning', text: 'hm', provider_metadata: { signature: 'secret' } },
          { type: 'text', text: 'hello', provider_metadata: { id: 'secret' } },
          ...calls('c9').content.map((part) => ({ ...part, raw_args: '{"secret":1}' })),
        ],
        usage: { input_tokens: 1, raw: 'secret' } as { input_tokens: number },
      },
    ],
  });
  const params = { chat_id: id };
  const exported = await owner.call('exportChat', { params });
  const listed = await owner.call('listMessages', { params });
  for (const { text } of [exported, listed]) {
    expect(text).toContain('hello');
    expect(text).not.toContain('secret');
    expect(text).not.toContain('finish_reason');
  }
});

test('hidden messages are never shown and do not count toward a page', async () => {
  const { id } = await store.create();
  const fence = await store.take(id);
  await store.runner.commitStep(id, fence, {
    attempt: 0,
    messages: [{ ...says('the summary'), hidden: true }, says('seen')],
  });
  const params = { chat_id: id };
  const { messages, has_more } = await owner.ok('listMessages', { params, query: { limit: 2 } });
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(has_more).toBe(false);
  expect((await owner.call('exportChat', { params })).text).not.toContain('the summary');
});

test('disabled models cannot be selected, and without an enabled model no chat starts', async () => {
  const { model_configs } = await owner.ok('listModelConfigs');
  expect(model_configs).toMatchObject([{ id: DEMO_MODEL, is_default: true, enabled: true }]);
  await execute(databaseUrl, `UPDATE model_configs SET enabled = false`);
  const body = { content: 'hi' };
  expect(await owner.refusal('createChat', { body })).toBe('409 no_model_configured');
  expect(
    await owner.refusal('createChat', { body: { ...body, model_config_id: DEMO_MODEL } }),
  ).toBe('400 unknown_model_config');
  expect((await owner.ok('listModelConfigs')).model_configs).toEqual([]);
  expect((await admin.ok('listModelConfigs')).model_configs).toMatchObject([{ enabled: false }]);
  await execute(databaseUrl, `UPDATE model_configs SET enabled = true`);
  await owner.ok('createChat', { body: { ...body, model_config_id: DEMO_MODEL } });
});

test('provider options are shown only to admins', async () => {
  const options = `{"temperature": 0.5, "provider_options": {"user": "x"}}`;
  await execute(databaseUrl, `UPDATE model_configs SET options = '${options}'`);
  expect((await owner.ok('listModelConfigs')).model_configs[0]).not.toHaveProperty(
    'provider_options',
  );
  expect((await admin.ok('listModelConfigs')).model_configs[0]).toMatchObject({
    temperature: 0.5,
    provider_options: { user: 'x' },
  });
});
