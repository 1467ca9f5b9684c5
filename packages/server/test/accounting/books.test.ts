import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { type LocalTool, tool } from '@chatd/loop';
import { ManualClock } from '@chatd/loop/testing';
import { answer, startFakeProvider, text as saysText, toolCall } from '@chatd/testing';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createDemo } from '../../src/providers/demo/index.ts';
import type { ChatModel } from '../../src/providers/models.ts';
import { chatCost } from '../../src/store/queries/model-calls.ts';
import { statement } from '../../src/store/statement.ts';
import { groupedSums } from '../../src/store/accounting/usage.ts';
import { createTestDatabase, DEMO_MODEL, says, TestStore, text } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { modelsAt, newBus, type Replica, startReplica } from '../worker/replica.ts';

const { url } = await createTestDatabase();
const store = await TestStore.open(url);
const SUMMARY_MODEL = randomUUID();

interface RecordedCall {
  readonly kind: string;
  readonly model_config_id: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_micros: number | null;
  readonly runtime_ms: number;
}

const recordedCalls = (chatId: string) =>
  store.database.query(
    statement<{ chat_id: string }, RecordedCall>(
      'test-booked-calls',
      `SELECT kind, model_config_id, input_tokens, output_tokens, cost_micros, runtime_ms
         FROM model_calls WHERE chat_id = :chat_id ORDER BY created_at`,
    ),
    { chat_id: chatId },
  );

async function startWorker(model: Omit<ChatModel, 'configId'>): Promise<Replica> {
  const forChat = (configId: string) => Promise.resolve({ configId, ...model });
  const replica = await startReplica({
    url,
    bus: newBus(),
    models: { forChat, forTitle: forChat },
  });
  onTestFinished(() => replica.stop());
  return replica;
}

const waits = (id: string) =>
  eventually(async () => expect((await store.read(id)).status).toBe('waiting'));

test('every call is recorded with its kind, its model, and the price of that model', async () => {
  const model = createDemo({ pace: 'instant' })('demo');
  await startWorker({
    model,
    settings: { price: { input: 1_000_000, output: 0 } },
    summary: {
      configId: SUMMARY_MODEL,
      model: createDemo({ pace: 'instant' })('cheap'),
      settings: { price: { input: 0, output: 2_000_000 } },
    },
  });
  const { id } = await store.create({ content: text('fill the context') });
  await waits(id);

  const calls = await recordedCalls(id);

  expect(calls.map(({ kind, model_config_id }) => [kind, model_config_id])).toEqual([
    ['turn', DEMO_MODEL],
    ['summary', SUMMARY_MODEL],
    ['turn', DEMO_MODEL],
  ]);
  expect(calls.map((call) => call.cost_micros)).toEqual(
    calls.map((call) => (call.kind === 'summary' ? call.output_tokens * 2 : call.input_tokens)),
  );
  expect(calls[0]?.input_tokens).toBe(198_000);
  expect(calls[1]?.output_tokens).toBeGreaterThan(0);
});

test('a call of a model without a price is recorded with its tokens and an unknown cost', async () => {
  await startWorker({ model: createDemo({ pace: 'instant' })('demo'), settings: {} });
  const { id } = await store.create({ content: text('hello') });
  await waits(id);

  expect(await recordedCalls(id)).toMatchObject([
    { kind: 'turn', cost_micros: null, output_tokens: expect.any(Number) },
  ]);
  const { total } = groupedSums(await store.database.query(chatCost, { chat_id: id, root_id: id }));
  expect(total).toMatchObject({ calls: 1, cost_micros: 0, unpriced_calls: 1 });
});

test('an interrupted call is recorded with an unknown cost', async () => {
  const clock = new ManualClock();
  const { shown, store: other } = await startWorker({
    model: createDemo({ clock })('demo'),
    settings: { price: { input: 1_000_000, output: 1_000_000 } },
  });
  const { id } = await store.create({ content: text('be slow') });
  await eventually(() => {
    clock.advance(250);
    expect(shown.parts.filter(({ part }) => part.type === 'text').length).toBeGreaterThan(0);
  });
  await other.client.interrupt(id);
  await waits(id);

  expect(await recordedCalls(id)).toMatchObject([
    { kind: 'turn', input_tokens: 0, output_tokens: 0, cost_micros: null },
  ]);
});

test('a failed attempt with reported usage is recorded in addition to the successful one', async () => {
  const demo = createDemo({ pace: 'instant' })('demo');
  let attempts = 0;
  const broken: LanguageModelV4StreamPart = {
    type: 'finish',
    finishReason: { unified: 'error', raw: 'broke off' },
    usage: {
      inputTokens: { total: 700, noCache: 700, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 3, text: 3, reasoning: 0 },
    },
  };
  await startWorker({
    model: {
      specificationVersion: 'v4',
      provider: 'demo',
      modelId: 'demo',
      supportedUrls: {},
      doGenerate: demo.doGenerate.bind(demo),
      doStream(options) {
        attempts += 1;
        if (attempts > 1) return demo.doStream(options);
        return Promise.resolve({ stream: ReadableStream.from([broken]) });
      },
    },
    settings: { price: { input: 1_000_000, output: 0 } },
  });
  const { id } = await store.create({ content: text('hello') });
  await waits(id);

  const calls = await eventually(async () => {
    const rows = await recordedCalls(id);
    expect(rows).toHaveLength(2);
    return rows;
  });
  expect(calls[0]).toMatchObject({ kind: 'turn', input_tokens: 700, cost_micros: 700 });
  expect(calls[1]?.input_tokens).toBeLessThan(700);
});

/** Ensures that the runtime of a tool is not 0. */
async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  while (Date.now() === now) await setImmediate();
}

const slow = tool({
  name: 'slow',
  input: z.strictObject({}),
  idempotent: true,
  async run() {
    await nextMillisecond();
    return 'done';
  },
});

async function startWorkerWith(tools: readonly LocalTool[]) {
  const provider = await startFakeProvider({ api: 'anthropic' });
  onTestFinished(() => provider.close());
  const models = modelsAt(provider.url, { price: { input: 1_000_000, output: 0 } });
  const replica = await startReplica({ url, bus: newBus(), models, tools });
  onTestFinished(() => replica.stop());
  return { provider, replica };
}

test('the runtime of tools is recorded under the model that called them and does not count as a call', async () => {
  const { provider } = await startWorkerWith([slow]);
  provider.answer(
    answer([toolCall('slow', {}), toolCall('slow', {})]),
    answer([saysText('Done.')]),
  );
  const { id } = await store.create({ content: text('Go') });
  await waits(id);

  const rows = await recordedCalls(id);
  const ran = (await store.history(id)).find(({ role }) => role === 'tool')?.runtime_ms ?? 0;
  expect(ran).toBeGreaterThan(0);
  expect(rows.map(({ kind }) => kind)).toEqual(['turn', 'tools', 'turn']);
  expect(rows[1]).toEqual({
    kind: 'tools',
    model_config_id: DEMO_MODEL,
    input_tokens: 0,
    output_tokens: 0,
    cost_micros: 0,
    runtime_ms: ran,
  });
  const { total } = groupedSums(await store.database.query(chatCost, { chat_id: id, root_id: id }));
  expect(total).toMatchObject({
    calls: 2,
    unpriced_calls: 0,
    tool_runtime_ms: ran,
    runtime_ms: rows.reduce((sum, row) => sum + row.runtime_ms, 0),
  });
});

test('the runtime of interrupted tools is recorded', async () => {
  const started = Promise.withResolvers<void>();
  const forever = tool({
    name: 'forever',
    input: z.strictObject({}),
    idempotent: true,
    async run(_, { signal }) {
      await nextMillisecond();
      started.resolve();
      return new Promise<string>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
      });
    },
  });
  const { provider, replica } = await startWorkerWith([forever]);
  provider.answer(answer([toolCall('forever', {})]));
  const { id } = await store.create({ content: text('Go') });
  await started.promise;
  await replica.store.client.interrupt(id);
  await waits(id);

  const ran = (await store.history(id)).find(({ role }) => role === 'tool')?.runtime_ms ?? 0;
  expect(ran).toBeGreaterThan(0);
  expect(
    (await recordedCalls(id)).map(({ kind, runtime_ms }) => [kind, runtime_ms]).at(-1),
  ).toEqual(['tools', ran]);
});

test('the cost of a chat includes its subagents, by model; the cost of a subagent is its own', async () => {
  const root = await store.create();
  const child = await store.create({ parent: { id: root.id, root_chat_id: null } });
  const spend = async (id: string, model_config_id: string, cost_micros: number) => {
    const fence = await store.take(id);
    const call = { kind: 'turn' as const, model_config_id, usage: {}, cost_micros, runtime_ms: 10 };
    await store.runner.commitStep(id, fence, { attempt: 0, messages: [says('done')], call });
  };
  await spend(root.id, DEMO_MODEL, 5);
  await spend(child.id, SUMMARY_MODEL, 70);

  const ofRoot = groupedSums(
    await store.database.query(chatCost, { chat_id: root.id, root_id: root.id }),
  );
  const ofChild = groupedSums(
    await store.database.query(chatCost, { chat_id: child.id, root_id: root.id }),
  );

  expect(ofRoot.total).toMatchObject({ calls: 2, cost_micros: 75, runtime_ms: 20 });
  expect(ofRoot.groups.map(({ key, cost_micros }) => [key, cost_micros])).toEqual([
    [SUMMARY_MODEL, 70],
    [DEMO_MODEL, 5],
  ]);
  expect(ofChild.total).toMatchObject({ calls: 1, cost_micros: 70 });
});
