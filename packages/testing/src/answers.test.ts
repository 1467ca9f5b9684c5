import type { LanguageModelV4, LanguageModelV4Message } from '@ai-sdk/provider';
import type { Api, FakeProvider } from './index.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { closeUnrefused } from '../test/support/close.ts';
import { collect } from '../test/support/collect.ts';
import { modelOf } from '../test/support/models.ts';
import { APIS } from './api.ts';
import { answer, gate, reasoning, startFakeProvider, text, toolCall } from './index.ts';

/** Behavior of every API, observed through its real provider package. */
describe.each(APIS)('%s', (api: Api) => {
  let provider: FakeProvider;

  beforeEach(async () => {
    provider = await startFakeProvider({ api });
  });
  afterEach(() => closeUnrefused(provider));

  // These models do not disclose their reasoning, and their package passes on a fixed set of counts.
  const isOpenAIChat = api === 'openai-chat' || api === 'azure-chat';

  test('text arrives in the scripted number of deltas', async () => {
    provider.answer(answer([text('one two three', { chunks: 3 })]));
    const { text: got, of, finish } = await collect(modelOf(provider));
    expect(got).toBe('one two three');
    expect(of('text-delta').filter(({ delta }) => delta !== '')).toHaveLength(3);
    expect(finish?.finishReason.unified).toBe('stop');
  });

  test.skipIf(isOpenAIChat)('reasoning comes before the text', async () => {
    provider.answer(answer([reasoning('hm, well', { chunks: 2 }), text('So.')]));
    const { reasoning: got, parts } = await collect(modelOf(provider));
    expect(got).toBe('hm, well');
    const types = parts.map(({ type }) => type);
    expect(types.indexOf('reasoning-start')).toBeLessThan(types.indexOf('text-start'));
  });

  test('parallel calls keep their ids, arguments, and order', async () => {
    provider.answer(
      answer([
        text('Adding.'),
        toolCall('add', { a: 1, b: 2 }, { id: 'call_a', chunks: 3 }),
        toolCall('add', { a: 3, b: 4 }, { id: 'call_b' }),
        toolCall('add', {}),
      ]),
    );
    const { of, finish } = await collect(modelOf(provider));
    const calls = of('tool-call').map(({ toolCallId, input }) => [toolCallId, input]);
    expect(calls).toEqual([
      ['call_a', '{"a":1,"b":2}'],
      ['call_b', '{"a":3,"b":4}'],
      [expect.any(String), '{}'],
    ]);
    expect(finish?.finishReason.unified).toBe('tool-calls');
  });

  test('usage includes cache reads and reasoning', async () => {
    const usage = { input: 100, cacheRead: 900, output: 50, reasoning: 20 };
    provider.answer(answer([text('Well.')], { usage }));
    const { finish } = await collect(modelOf(provider));
    expect(finish?.usage.inputTokens).toMatchObject({ total: 1000, cacheRead: 900, noCache: 100 });
    // Bedrock does not count reasoning separately.
    const counted = api === 'bedrock' ? undefined : 20;
    expect(finish?.usage.outputTokens).toMatchObject({ total: 50, reasoning: counted });
  });

  test.skipIf(isOpenAIChat)('metadata is part of the raw usage', async () => {
    provider.answer(answer([text('Well.')], { metadata: { max_context_tokens: 200_000 } }));
    const { finish } = await collect(modelOf(provider));
    expect(finish?.usage.raw).toMatchObject({ max_context_tokens: 200_000 });
  });

  test('a script can set the response id', async () => {
    provider.answer(answer([text('Well.')], { responseId: 'my_id', model: 'my-model' }));
    const { of } = await collect(modelOf(provider));
    expect(of('response-metadata').map(({ id }) => id)).toContain('my_id');
  });

  test.each([
    ['length', 'length'],
    ['content-filter', 'content-filter'],
    ['stop', 'stop'],
  ] as const)('an answer with the finish %s has that finish reason', async (finish, unified) => {
    provider.answer(answer([text('Well')], { finish }));
    const collected = await collect(modelOf(provider));
    expect(collected.finish?.finishReason.unified).toBe(unified);
  });

  test('a gate in a text pauses the stream between two deltas', async () => {
    const pause = gate();
    provider.answer(answer([text(['Hel', pause, 'lo'])]));
    const seen: string[] = [];
    const first = Promise.withResolvers<void>();
    const collecting = collect(modelOf(provider), {
      onPart(part) {
        if (part.type !== 'text-delta' || part.delta === '') return;
        seen.push(part.delta);
        first.resolve();
      },
    });
    await pause.reached;
    await first.promise;
    expect(seen).toEqual(['Hel']);
    pause.release();
    const { text: got } = await collecting;
    expect(got).toBe('Hello');
  });

  test('a gate between two parts pauses the stream', async () => {
    const pause = gate();
    provider.answer(answer([text('One.'), pause, toolCall('add', { a: 1, b: 1 })]));
    provider.answer(answer([text('Two.')]));
    const seen: string[] = [];
    const collecting = collect(modelOf(provider), { onPart: ({ type }) => seen.push(type) });
    await pause.reached;
    // By the end of another answer, a call that is not withheld has arrived.
    await collect(modelOf(provider));
    expect(seen).not.toContain('tool-call');
    pause.release();
    const { text: got, of } = await collecting;
    expect([got, of('tool-call').length]).toEqual(['One.', 1]);
  });

  test('a non-streaming request gets the same answer as one response', async () => {
    provider.answer(
      answer(
        [text('It is three.', { chunks: 4 }), toolCall('add', { a: 1, b: 2 }, { chunks: 2 })],
        {
          usage: { input: 7, output: 3 },
        },
      ),
    );
    const options = {
      prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }],
    };
    const { content, usage } = await modelOf(provider).doGenerate(options);
    expect(content).toMatchObject([
      { type: 'text', text: 'It is three.' },
      { type: 'tool-call', toolName: 'add', input: '{"a":1,"b":2}' },
    ]);
    expect(usage.inputTokens.total).toBe(7);
  });

  test('the provider accepts its own answer with the results of the calls', async () => {
    const model = modelOf(provider);
    provider.answer(
      answer([
        ...(isOpenAIChat ? [] : [reasoning('I shall add.')]),
        text('Adding.'),
        toolCall('add', { a: 1, b: 2 }, { id: 'call_a' }),
        toolCall('add', { a: 3, b: 4 }, { id: 'call_b' }),
      ]),
      answer([text('3 and 7.')]),
    );
    const first = await model.doGenerate({ prompt: [USER] });
    await collect(model, {
      prompt: [
        USER,
        { role: 'assistant', content: first.content.flatMap(toPromptPart) },
        { role: 'tool', content: [result('call_a', 3), result('call_b', 7)] },
      ],
    });
    expect(provider.requests).toHaveLength(2);
  });
});

const USER = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] };

type Content = Awaited<ReturnType<LanguageModelV4['doGenerate']>>['content'][number];
type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];

function toPromptPart(part: Content): AssistantPart[] {
  const providerOptions = 'providerMetadata' in part ? part.providerMetadata : undefined;
  const options = providerOptions === undefined ? {} : { providerOptions };
  if (part.type === 'text') return [{ type: part.type, text: part.text, ...options }];
  if (part.type === 'reasoning') return [{ type: part.type, text: part.text, ...options }];
  if (part.type !== 'tool-call') return [];
  const { toolCallId, toolName, input } = part;
  return [
    { type: part.type, toolCallId, toolName, input: JSON.parse(input) as unknown, ...options },
  ];
}

function result(toolCallId: string, value: number) {
  const output = { type: 'json' as const, value };
  return { type: 'tool-result' as const, toolCallId, toolName: 'add', output };
}
