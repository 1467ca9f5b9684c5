import type { FakeProvider } from '../index.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeUnrefused } from '../../test/support/close.ts';
import { collect } from '../../test/support/collect.ts';
import { modelOf } from '../../test/support/models.ts';
import { post } from '../../test/support/post.ts';
import {
  answer,
  file,
  gate,
  reasoning,
  startFakeProvider,
  text,
  toolCall,
  webSearch,
} from '../index.ts';

let provider: FakeProvider;

beforeEach(async () => {
  provider = await startFakeProvider({ api: 'google' });
});
afterEach(() => closeUnrefused(provider));

const SEARCH = {
  type: 'provider',
  id: 'google.google_search',
  name: 'google_search',
  args: {},
} as const;

test('each chunk has the model, the response id, and the usage, and the last one has the finish reason', async () => {
  provider.answer(answer([text('one two', { chunks: 2 })], { responseId: 'r' }));
  const { body } = await post(provider, { contents: [{ role: 'user', parts: [{ text: 'x' }] }] });
  const chunks = String(body)
    .trim()
    .split('\n\n')
    .map((event) => JSON.parse(event.slice(6)) as unknown);
  expect(chunks).toHaveLength(3);
  for (const chunk of chunks) {
    expect(chunk).toMatchObject({
      modelVersion: 'gemini-3-pro-preview',
      responseId: 'r',
      usageMetadata: {},
    });
  }
  expect(chunks.at(-1)).toMatchObject({ candidates: [{ finishReason: 'STOP' }] });
});

test('the first call of an answer has a thought signature, scripted or generated', async () => {
  const model = modelOf(provider);
  const second = toolCall('add', { a: 2 });
  provider.answer(answer([toolCall('add', { a: 1 }, { signature: 'mine' }), second]));
  provider.answer(answer([toolCall('add', { a: 1 }), second]));
  provider.answer(answer([toolCall('add', { a: 1 }, { signature: null })]));
  const signatures = [];
  for (let index = 0; index < 3; index++) {
    const { of } = await collect(model);
    signatures.push(
      of('tool-call').map((call) => call.providerMetadata?.['google']?.['thoughtSignature']),
    );
  }
  expect(signatures).toEqual([['mine', undefined], [expect.any(String), undefined], [undefined]]);
});

test('an older model signs nothing', async () => {
  provider.answer(answer([toolCall('add', { a: 1 })]));
  const { of } = await collect(modelOf(provider, { id: 'gemini-2.5-flash' }));
  expect(of('tool-call')[0]?.providerMetadata).toBeUndefined();
});

test('the signatures of text and thoughts follow them', async () => {
  provider.answer(
    answer([reasoning('hm', { signature: 'thought' }), text('So.', { signature: 'text' })]),
  );
  const { parts } = await collect(modelOf(provider));
  expect(JSON.stringify(parts)).toMatch(/"thoughtSignature":"thought".*"thoughtSignature":"text"/);
});

test('a search appears as sources and grounding metadata, without a call', async () => {
  provider.answer(
    answer([
      webSearch({ query: 'news', results: [{ url: 'https://a.example', title: 'A' }] }),
      text('All well.', { citations: [{ url: 'https://a.example', start: 4, end: 8 }] }),
    ]),
  );
  const { of, finish } = await collect(modelOf(provider), { tools: [SEARCH] });
  expect(of('tool-call')).toEqual([]);
  expect(of('source')).toMatchObject([{ sourceType: 'url', url: 'https://a.example', title: 'A' }]);
  expect(finish?.providerMetadata?.['google']).toMatchObject({
    groundingMetadata: {
      webSearchQueries: ['news'],
      groundingSupports: [{ segment: { text: 'well' }, groundingChunkIndices: [0] }],
    },
  });
});

test('a generated file arrives as data', async () => {
  provider.answer(answer([file('image/png', Buffer.from('pixels'))]));
  const { of } = await collect(modelOf(provider));
  expect(of('file')).toMatchObject([{ mediaType: 'image/png' }]);
});

test('a gate within the arguments of a call pauses the whole call', async () => {
  const pause = gate();
  provider.answer(answer([text('Adding.'), toolCall('add', ['{"a":', pause, '1}'])]));
  provider.answer(answer([text('Well.')]));
  const seen: string[] = [];
  const collecting = collect(modelOf(provider), { onPart: ({ type }) => seen.push(type) });
  await pause.reached;
  // By the end of another answer, a call that is not withheld has arrived.
  await collect(modelOf(provider));
  expect(seen.filter((type) => type.startsWith('tool'))).toEqual([]);
  pause.release();
  expect((await collecting).of('tool-call')).toMatchObject([{ input: '{"a":1}' }]);
});

test('a script with arguments that are not JSON fails', async () => {
  await using other = await startFakeProvider({ api: 'google' });
  other.answer(answer([toolCall('add', '{"a":')]));
  const { error } = await collect(modelOf(other));
  expect(String(error)).toContain('Google cannot send arguments that are no JSON');
});
