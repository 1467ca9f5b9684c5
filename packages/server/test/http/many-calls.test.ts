import { answer, startFakeProvider, text, toolCall } from '@chatd/testing';
import { afterAll, expect, test } from 'vitest';
import { calls } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { startTestServer } from '@chatd/test-server';

const COUNT = 300;
const ids = Array.from({ length: COUNT }, (_, index) => `call_${index}`);

const provider = await startFakeProvider({ api: 'anthropic' });
afterAll(() => provider.close());

test(`${COUNT} calls of dynamic tools are answered in one request, with 1 KiB each`, async () => {
  const secretKey = 'a-secret-key-of-the-tests';
  const { admin, owner } = await startTestServer({ concurrency: 4, secretKey });
  const { id: provider_id } = await admin.ok('createProvider', {
    body: { type: 'anthropic', name: 'Fake', base_url: provider.url, api_key: 'sk-ant-any-key' },
  });
  const { id: model_config_id } = await admin.ok('createModelConfig', {
    body: { provider_id, model: 'claude-sonnet-4-5', context_limit: 200_000 },
  });
  provider.answer(
    answer(ids.map((id) => toolCall('locate', {}, { id }))),
    answer([text('Found all.')]),
  );
  const dynamic_tools = [{ name: 'locate', description: 'Locate it.' }];
  const body = { content: 'Go', title: 'Test', model_config_id, dynamic_tools };
  const { id: chat_id } = await owner.ok('createChat', { body });
  const arrives = (status: string) =>
    eventually(async () =>
      expect(await owner.ok('getChat', { params: { chat_id } })).toMatchObject({ status }),
    );
  await arrives('requires_action');

  const output = 'x'.repeat(1024);
  const results = ids.map((tool_call_id) => ({ tool_call_id, output }));
  await owner.ok('submitToolResults', { params: { chat_id }, body: { results } });
  await arrives('waiting');
  const prompt = JSON.stringify(provider.requests.at(-1)?.body);
  expect(ids.filter((id) => !prompt.includes(`"tool_use_id":"${id}"`))).toEqual([]);
});

test(`${COUNT} calls are approved in one request`, async () => {
  const { owner, store } = await startTestServer();
  const { id } = await store.create();
  const fence = await store.take(id);
  const step = { messages: [calls(...ids)], attempt: 0 };
  const { history_version } = await store.runner.commitStep(id, fence, step);
  const awaited = Object.fromEntries(ids.map((call) => [call, 'approval' as const]));
  await store.runner.requireAction(id, { ...fence, history_version }, awaited, null);

  const decisions = ids.map((tool_call_id) => ({ tool_call_id, decision: 'deny' as const }));
  await owner.ok('decideApprovals', { params: { chat_id: id }, body: { decisions } });
  expect((await store.read(id)).open_calls.every((call) => call.decision === 'deny')).toBe(true);
});
