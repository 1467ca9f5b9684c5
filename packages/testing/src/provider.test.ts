import type { FakeProvider } from './index.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { collect } from '../test/support/collect.ts';
import { modelOf } from '../test/support/models.ts';
import { post } from '../test/support/post.ts';
import { answer, fault, file, gate, startFakeProvider, text, webSearch } from './index.ts';

let provider: FakeProvider;
const VALID = { model: 'm', stream: true, messages: [{ role: 'user', content: 'Hello' }] };

beforeEach(async () => {
  provider = await startFakeProvider({ api: 'openai-chat', now: () => 1_800_000_000_000 });
});
afterEach(() => provider.close());

test('answers are served in the order in which they were queued', async () => {
  provider.answer(answer([text('one')]), answer([text('two')]));
  expect(provider.left).toBe(2);
  const model = modelOf(provider);
  expect((await collect(model)).text).toBe('one');
  expect((await collect(model)).text).toBe('two');
  expect(provider.left).toBe(0);
});

test('a function provides the answer if nothing is queued', async () => {
  provider.answerWith(({ index, body }) => answer([text(`${index}: ${String(body['model'])}`)]));
  provider.answer(answer([text('queued')]));
  const model = modelOf(provider, { id: 'some-model' });
  expect((await collect(model)).text).toBe('queued');
  expect((await collect(model)).text).toBe('1: some-model');
});

test('a request without a scripted answer fails with an explanation', async () => {
  const { error } = await collect(modelOf(provider));
  expect(error).toMatchObject({ statusCode: 400 });
  expect(String(error)).toContain('no answer left for request 0 (POST /v1/chat/completions)');
  expect(String(error)).toContain('Hello');
  expect(provider.rejected).toHaveLength(1);
});

test('requests are captured with their path, headers, body, and time', async () => {
  provider.answer(answer([text('one')]));
  await collect(modelOf(provider, { key: 'secret' }));
  expect(provider.requests).toMatchObject([
    {
      index: 0,
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer secret' },
      body: { messages: [{ role: 'user', content: 'Hello' }] },
      at: 1_800_000_000_000,
    },
  ]);
});

test('a request can be awaited before it is made', async () => {
  const awaited = provider.request(0);
  provider.answer(answer([text('one')]));
  const [request] = await Promise.all([awaited, collect(modelOf(provider))]);
  expect(request).toBe(provider.requests[0]);
});

test('a response is complete if the client reads it to its end, and aborted if the client aborts it', async () => {
  const pause = gate();
  provider.answer(answer([text('whole')]), answer([text(['half', pause])]));
  const model = modelOf(provider);
  await collect(model);
  const abort = new AbortController();
  const collecting = collect(model, { abortSignal: abort.signal });
  await pause.reached;
  abort.abort();
  await collecting;
  expect(await Promise.all(provider.closed)).toEqual(['complete', 'aborted']);
});

test('an invalid request does not consume a scripted answer', async () => {
  provider.answer(answer([text('kept')]));
  const { status } = await post(provider, { ...VALID, messages: [] });
  expect(status).toBe(400);
  expect(provider.left).toBe(1);
});

test('validation can be turned off', async () => {
  await using lenient = await startFakeProvider({ api: 'openai-chat', strict: false });
  lenient.answer(answer([text('well')]));
  expect(await post(lenient, { ...VALID, messages: [] })).toMatchObject({ status: 200 });
});

test('a path of another API is not found', async () => {
  const { status } = await post(provider, VALID, { path: '/messages' });
  expect(status).toBe(404);
  expect(provider.rejected[0]?.message).toContain('/v1/messages is not part of openai-chat');
});

test('scripting a part that the API does not support throws', () => {
  const search = answer([webSearch({ query: 'x', results: [] })]);
  const image = fault.eof({ of: answer([file('image/png', 'AAAA')]) });
  expect(() => provider.answer(search)).toThrow('openai-chat has no wire form');
  expect(() => provider.answer(image)).toThrow('part of type file');
});

test('the client gets the error of a script that throws', async () => {
  provider.answerWith(() => {
    throw new Error('not this one');
  });
  const { error } = await collect(modelOf(provider));
  expect(String(error)).toContain('script is broken: Error: not this one');
});

test('a paced answer arrives complete', async () => {
  provider.answer(answer([text('one two', { chunks: 2 })], { paceMs: 1 }));
  expect((await collect(modelOf(provider))).text).toBe('one two');
});

test('closing ends open responses', async () => {
  provider.answer(fault.hang());
  const collecting = collect(modelOf(provider));
  await provider.request(0);
  await provider.close();
  expect((await collecting).text).toBe('');
  await provider.close();
});
