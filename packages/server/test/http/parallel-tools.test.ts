import { tool } from '@chatd/loop';
import { answer, startFakeProvider, text, toolCall } from '@chatd/testing';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { eventually } from '@chatd/test-server/eventually';
import { startTestServer } from '@chatd/test-server';

const running = new Set<() => void>();
const hold = tool({
  name: 'hold',
  input: z.looseObject({}),
  idempotent: true,
  run: () =>
    new Promise<string>((resolve) => {
      const end = () => {
        running.delete(end);
        resolve('held');
      };
      running.add(end);
    }),
});

const provider = await startFakeProvider({ api: 'anthropic' });
afterAll(() => provider.close());
const { admin, owner } = await startTestServer(
  { concurrency: 4, secretKey: 'a-secret-key-of-the-tests' },
  { tools: [hold] },
);
const { id: provider_id } = await admin.ok('createProvider', {
  body: { type: 'anthropic', name: 'Fake', base_url: provider.url, api_key: 'sk-ant-any-key' },
});
const { id: model_config_id } = await admin.ok('createModelConfig', {
  body: { provider_id, model: 'claude-sonnet-4-5', context_limit: 200_000 },
});

test('max_parallel_tools has a default and bounds', async () => {
  expect(await admin.ok('getSettings')).toMatchObject({ max_parallel_tools: 16 });
  const refusal = (value: unknown) =>
    admin.refusal('updateSettings', { body: { max_parallel_tools: value } });
  expect(await refusal(0)).toBe('400 invalid_body');
  expect(await refusal(null)).toBe('400 invalid_body');
});

test('a response runs at most max_parallel_tools calls at a time', async () => {
  await admin.ok('updateSettings', { body: { max_parallel_tools: 2 } });
  provider.answer(
    answer([1, 2, 3, 4, 5].map((n) => toolCall('hold', { n }))),
    answer([text('Done.')]),
  );
  const { id: chat_id } = await owner.ok('createChat', {
    body: { content: 'Go', title: 'Test', model_config_id },
  });
  for (const left of [5, 4, 3, 2, 1]) {
    await eventually(() => expect(running.size).toBe(Math.min(2, left)));
    const [end] = running;
    end?.();
  }
  await eventually(async () =>
    expect((await owner.ok('getChat', { params: { chat_id } })).status).toBe('waiting'),
  );
});
