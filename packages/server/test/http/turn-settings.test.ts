import { tool } from '@chatd/loop';
import { answer, startFakeProvider, text, toolCall } from '@chatd/testing';
import { afterAll, afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { eventually } from '@chatd/test-server/eventually';
import { startTestServer } from '@chatd/test-server';

const look = tool({ name: 'look', input: z.strictObject({}), idempotent: true, run: () => 'seen' });

const provider = await startFakeProvider({ api: 'anthropic' });
afterAll(() => provider.close());
const { admin, owner, store } = await startTestServer(
  { concurrency: 4, secretKey: 'a-secret-key-of-the-tests' },
  { tools: [look] },
);
const { id: provider_id } = await admin.ok('createProvider', {
  body: { type: 'anthropic', name: 'Fake', base_url: provider.url, api_key: 'sk-ant-any-key' },
});
const { id: model_config_id } = await admin.ok('createModelConfig', {
  body: { provider_id, model: 'claude-sonnet-4-5', context_limit: 200_000 },
});

const DEFAULTS = { max_steps_per_turn: 1200, dynamic_tool_timeout_seconds: 300 };
afterEach(() => admin.ok('updateSettings', { body: DEFAULTS }));

const create = async (over = {}) => {
  const body = { content: 'Go', title: 'Test', model_config_id, ...over };
  return (await owner.ok('createChat', { body })).id;
};
const arrives = (chat_id: string, status: string) =>
  eventually(async () => {
    const chat = await owner.ok('getChat', { params: { chat_id } });
    expect(chat.status).toBe(status);
    return chat;
  });

test('both settings have a default and bounds, and only the timeout can be null', async () => {
  expect(await admin.ok('getSettings')).toMatchObject(DEFAULTS);
  const refusal = (body: object) => admin.refusal('updateSettings', { body });
  expect(await refusal({ max_steps_per_turn: 0 })).toBe('400 invalid_body');
  expect(await refusal({ max_steps_per_turn: null })).toBe('400 invalid_body');
  expect(await refusal({ dynamic_tool_timeout_seconds: 0 })).toBe('400 invalid_body');
  await admin.ok('updateSettings', { body: { dynamic_tool_timeout_seconds: null } });
  expect(await admin.ok('getSettings')).toMatchObject({ dynamic_tool_timeout_seconds: null });
});

test('a turn that reaches max_steps_per_turn ends with step_limit, and the next message continues', async () => {
  await admin.ok('updateSettings', { body: { max_steps_per_turn: 2 } });
  provider.answer(answer([toolCall('look', {})]), answer([toolCall('look', {})]));
  const chat_id = await create();
  const { last_error } = await arrives(chat_id, 'error');
  expect(last_error).toMatchObject({
    kind: 'step_limit',
    message: expect.stringContaining('after 2 steps'),
  });
  provider.answer(answer([text('Done.')]));
  await owner.ok('sendMessage', { params: { chat_id }, body: { content: 'Go on' } });
  await arrives(chat_id, 'waiting');
});

test.each([
  ['the default', {}, '5 minutes'],
  ['a longer timeout', { dynamic_tool_timeout_seconds: 86_400 }, '1440 minutes'],
  ['no timeout', { dynamic_tool_timeout_seconds: null }, 'no deadline'],
])('calls of dynamic tools wait for %s', async (_, settings, expected) => {
  await admin.ok('updateSettings', { body: settings });
  provider.answer(answer([toolCall('locate', {}, { id: 'd1' })]), answer([text('Here.')]));
  const chat_id = await create({ dynamic_tools: [{ name: 'locate', description: '' }] });
  await arrives(chat_id, 'requires_action');
  const { action_deadline, active_at } = await store.read(chat_id);
  const minutes = ((action_deadline?.getTime() ?? 0) - active_at.getTime()) / 60_000;
  // The transaction that sets both takes some time itself.
  const deadline = action_deadline === null ? 'no deadline' : `${Math.floor(minutes)} minutes`;
  expect(deadline).toBe(expected);
  const body = { results: [{ tool_call_id: 'd1', output: 'here' }] };
  await owner.ok('submitToolResults', { params: { chat_id }, body });
  await arrives(chat_id, 'waiting');
});
