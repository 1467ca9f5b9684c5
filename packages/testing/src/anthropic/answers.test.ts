import type { FakeProvider } from '../index.ts';
import { createAnthropic } from '@ai-sdk/anthropic';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeUnrefused } from '../../test/support/close.ts';
import { ADD, collect } from '../../test/support/collect.ts';
import { modelOf } from '../../test/support/models.ts';
import { post } from '../../test/support/post.ts';
import { answer, raw, reasoning, startFakeProvider, text, toolCall, webSearch } from '../index.ts';

let provider: FakeProvider;

beforeEach(async () => {
  provider = await startFakeProvider({ api: 'anthropic' });
});
afterEach(() => closeUnrefused(provider));

const SEARCH = {
  type: 'provider',
  id: 'anthropic.web_search_20250305',
  name: 'web_search',
  args: {},
} as const;
const USER = { role: 'user' as const, content: [{ type: 'text' as const, text: 'What is new?' }] };

test('the events have the names and the order of the real service', async () => {
  provider.answer(
    answer([text('one two', { chunks: 2 }), toolCall('add', { a: 1 }, { id: 'toolu_a' })]),
  );
  const { body } = await post(provider, {
    model: 'claude',
    max_tokens: 10,
    stream: true,
    messages: [{ role: 'user', content: 'x' }],
  });
  expect([...String(body).matchAll(/^event: (.*)$/gm)].map(([, name]) => name)).toEqual([
    'message_start',
    'content_block_start',
    'ping',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
  expect(body).toContain('event: ping\ndata: {"type":"ping"}\n\n');
});

test('thinking is signed, and the provider accepts the signature when it is sent back', async () => {
  const model = modelOf(provider);
  provider.answer(
    answer([reasoning('hm', { signature: 'signed' }), text('So.')]),
    answer([text('Yes.')]),
  );
  const { of } = await collect(model);
  const signatures = of('reasoning-delta').map(({ providerMetadata }) => providerMetadata);
  expect(signatures.at(-1)).toEqual({ anthropic: { signature: 'signed' } });
  const providerOptions = { anthropic: { signature: 'signed' } };
  await collect(model, {
    prompt: [
      USER,
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm', providerOptions },
          { type: 'text', text: 'So.' },
        ],
      },
      USER,
    ],
  });
});

test('redacted thinking has no text and is sent back unchanged', async () => {
  const model = modelOf(provider);
  provider.answer(
    answer([reasoning('', { redacted: 'opaque' }), text('So.')]),
    answer([text('Yes.')]),
  );
  const { of } = await collect(model);
  expect(of('reasoning-start')[0]?.providerMetadata).toEqual({
    anthropic: { redactedData: 'opaque' },
  });
  const providerOptions = { anthropic: { redactedData: 'opaque' } };
  await collect(model, {
    prompt: [
      USER,
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: '', providerOptions },
          { type: 'text', text: 'So.' },
        ],
      },
      USER,
    ],
  });
  expect(JSON.stringify(provider.requests[1]?.body)).toContain('redacted_thinking');
});

test('a web search has a call, a result, sources, and cited text, and can be sent back', async () => {
  const model = createAnthropic({ baseURL: provider.url, apiKey: 'any' })('claude-sonnet-4-5');
  provider.answer(
    answer([
      webSearch({
        query: 'news',
        results: [{ url: 'https://a.example', title: 'A', pageAge: '1 day' }],
      }),
      text('All well.', {
        citations: [{ url: 'https://a.example', title: 'A', citedText: 'well' }],
      }),
    ]),
    answer([text('Yes.')]),
  );
  const { of, text: got } = await collect(model, { tools: [SEARCH] });
  expect(got).toBe('All well.');
  const [call] = of('tool-call');
  const [result] = of('tool-result');
  expect(call).toMatchObject({
    toolName: 'web_search',
    input: '{"query":"news"}',
    providerExecuted: true,
  });
  expect(result).toMatchObject({
    result: [{ url: 'https://a.example', encryptedContent: expect.any(String) }],
  });
  expect(of('source').map((source) => source.sourceType === 'url' && source.url)).toContain(
    'https://a.example',
  );
  await collect(model, {
    tools: [SEARCH, ADD],
    prompt: [
      USER,
      {
        role: 'assistant',
        content: [
          {
            type: 'tool-call',
            toolCallId: call!.toolCallId,
            toolName: 'web_search',
            input: { query: 'news' },
            providerExecuted: true,
          },
          {
            type: 'tool-result',
            toolCallId: call!.toolCallId,
            toolName: 'web_search',
            output: { type: 'json', value: result!.result as never },
          },
          { type: 'text', text: got },
        ],
      },
      USER,
    ],
  });
  expect(JSON.stringify(provider.requests[1]?.body)).toContain('web_search_tool_result');
});

test('a failed search has its error code', async () => {
  provider.answer(
    answer([webSearch({ query: 'news', results: [], error: 'max_uses_exceeded' }), text('No.')]),
  );
  const { of } = await collect(modelOf(provider), { tools: [SEARCH] });
  expect(of('tool-result')[0]).toMatchObject({
    isError: true,
    result: { errorCode: 'max_uses_exceeded' },
  });
});

test('cache writes are part of the usage', async () => {
  provider.answer(answer([text('So.')], { usage: { input: 1, cacheWrite: 20, cacheRead: 300 } }));
  const { finish } = await collect(modelOf(provider));
  expect(finish?.usage.inputTokens).toEqual({
    total: 321,
    noCache: 1,
    cacheRead: 300,
    cacheWrite: 20,
  });
});

test('a paused turn has its own finish reason', async () => {
  provider.answer(answer([text('Searching on.')], { finish: 'pause' }));
  expect((await collect(modelOf(provider))).finish?.finishReason.raw).toBe('pause_turn');
});

test('a raw event is sent unchanged', async () => {
  provider.answer(answer([raw({ type: 'news_of_tomorrow' }), text('So.')]));
  const { text: got } = await collect(modelOf(provider));
  expect(got).toBe('So.');
});
