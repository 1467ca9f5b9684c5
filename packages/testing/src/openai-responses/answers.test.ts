import type { LanguageModelV4Message } from '@ai-sdk/provider';
import type { FakeProvider } from '../index.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeUnrefused } from '../../test/support/close.ts';
import { collect } from '../../test/support/collect.ts';
import { modelOf } from '../../test/support/models.ts';
import { post } from '../../test/support/post.ts';
import { answer, file, reasoning, startFakeProvider, text, toolCall, webSearch } from '../index.ts';

let provider: FakeProvider;

beforeEach(async () => {
  provider = await startFakeProvider({ api: 'openai-responses' });
});
afterEach(() => closeUnrefused(provider));

const SEARCH = { type: 'provider', id: 'openai.web_search', name: 'web_search', args: {} } as const;
const IMAGES = {
  type: 'provider',
  id: 'openai.image_generation',
  name: 'image_generation',
  args: {},
} as const;
const USER: LanguageModelV4Message = {
  role: 'user',
  content: [{ type: 'text', text: 'What is new?' }],
};

test('the events have the names and sequence numbers of the real service', async () => {
  provider.answer(answer([text('one two', { chunks: 2 }), toolCall('add', { a: 1 })]));
  const { body } = await post(provider, { model: 'gpt', stream: true, input: 'x' });
  const names = [...String(body).matchAll(/^event: response\.(.*)$/gm)].map(([, name]) => name);
  expect(names).toEqual([
    'created',
    'in_progress',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'output_item.added',
    'function_call_arguments.delta',
    'function_call_arguments.done',
    'output_item.done',
    'completed',
  ]);
  const numbers = [...String(body).matchAll(/"sequence_number":(\d+)/g)].map(([, number]) =>
    Number(number),
  );
  expect(numbers).toEqual(names.map((_name, index) => index));
});

test('encrypted reasoning is sent on request, and accepted when it is sent back', async () => {
  const model = modelOf(provider);
  const providerOptions = { openai: { store: false, include: ['reasoning.encrypted_content'] } };
  provider.answer(answer([reasoning('hm'), text('So.')]), answer([text('Yes.')]));
  const { of } = await collect(model, { providerOptions });
  const metadata = of('reasoning-end')[0]?.providerMetadata;
  expect(metadata?.['openai']).toMatchObject({ reasoningEncryptedContent: expect.any(String) });
  const thought = { type: 'reasoning' as const, text: 'hm', providerOptions: metadata! };
  const said: LanguageModelV4Message = {
    role: 'assistant',
    content: [thought, { type: 'text', text: 'So.' }],
  };
  await collect(model, { prompt: [USER, said, USER], providerOptions });
  expect(JSON.stringify(provider.requests[1]?.body)).toContain('encrypted_content');
});

test('undisclosed reasoning is an item without a summary', async () => {
  provider.answer(answer([reasoning('', { id: 'rs_hidden' }), text('So.')]));
  const { reasoning: got, of } = await collect(modelOf(provider));
  expect([got, of('reasoning-start')[0]?.providerMetadata?.['openai']?.['itemId']]).toEqual([
    '',
    'rs_hidden',
  ]);
});

test('a request can continue a stored response by its id', async () => {
  const model = modelOf(provider);
  provider.answer(answer([text('So.')], { responseId: 'resp_a' }), answer([text('Yes.')]));
  const { finish } = await collect(model);
  expect(finish?.providerMetadata?.['openai']?.['responseId']).toBe('resp_a');
  await collect(model, { providerOptions: { openai: { previousResponseId: 'resp_a' } } });
});

test('a web search has a call with sources, and text with citations', async () => {
  provider.answer(
    answer([
      webSearch({ query: 'news', results: [{ url: 'https://a.example', title: 'A' }] }),
      text('All well.', {
        citations: [{ url: 'https://b.example', title: 'B', start: 4, end: 8 }],
      }),
    ]),
  );
  const { of } = await collect(modelOf(provider), { tools: [SEARCH] });
  expect(of('tool-call')[0]).toMatchObject({ toolName: 'web_search', providerExecuted: true });
  expect(of('tool-result')[0]?.result).toMatchObject({
    action: { type: 'search', query: 'news' },
    sources: [{ type: 'url', url: 'https://a.example' }],
  });
  expect(of('source')).toMatchObject([{ sourceType: 'url', url: 'https://a.example' }]);
  expect(of('text-end')[0]?.providerMetadata?.['openai']).toMatchObject({
    annotations: [{ type: 'url_citation', url: 'https://b.example', start_index: 4, end_index: 8 }],
  });
});

test('a generated image is the result of a call', async () => {
  provider.answer(answer([file('image/png', Buffer.from('pixels')), text('Here.')]));
  const { of } = await collect(modelOf(provider), { tools: [IMAGES] });
  expect(of('tool-result')[0]?.result).toEqual({
    result: Buffer.from('pixels').toString('base64'),
  });
});

test('an answer that was cut off by its length is incomplete, and so is its last item', async () => {
  const call = toolCall('add', '{"a": 1, "b', { id: 'call_cut' });
  provider.answer(answer([call], { finish: 'length' }));
  const { body } = await post(provider, { model: 'gpt', stream: true, input: 'x' });
  expect(body).toContain('event: response.incomplete');
  expect(body).toContain('"incomplete_details":{"reason":"max_output_tokens"}');
  expect(body).toMatch(/"status":"incomplete","arguments":"\{\\"a\\": 1, \\"b"/);
});
