import type { Api, FakeProvider } from './index.ts';
import { APICallError } from '@ai-sdk/provider';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { collect } from '../test/support/collect.ts';
import { modelOf } from '../test/support/models.ts';
import { post } from '../test/support/post.ts';
import { SMALLEST } from '../test/support/smallest.ts';
import { APIS } from './api.ts';
import { answer, fault, gate, startFakeProvider, text, toolCall } from './index.ts';

/** The error of a failed call, which the gateway's package wraps. */
function callError(error: unknown): APICallError {
  const own = APICallError.isInstance(error) ? error : (error as Error).cause;
  if (!APICallError.isInstance(own))
    throw new TypeError(`not an error of a call: ${String(error)}`);
  return own;
}

describe.each(APIS)('%s', (api: Api) => {
  let provider: FakeProvider;

  beforeEach(async () => {
    provider = await startFakeProvider({ api });
  });
  afterEach(() => provider.close());

  test('a status has its headers and a body in the format of the API', async () => {
    provider.answer(fault.status(429, { headers: { 'retry-after': '3' } }));
    const { error } = await collect(modelOf(provider));
    expect(callError(error)).toMatchObject({
      statusCode: 429,
      isRetryable: true,
      responseHeaders: { 'retry-after': '3' },
      message: expect.stringContaining('429, as the script of the fake provider says'),
    });
  });

  test('a status can have any body', async () => {
    provider.answer(fault.status(502, { body: '<html>Bad gateway</html>' }));
    const { error } = await collect(modelOf(provider));
    expect(callError(error)).toMatchObject({
      statusCode: 502,
      responseBody: '<html>Bad gateway</html>',
    });
  });

  test('known failures have the messages of the API', async () => {
    provider.answer(
      fault.overloaded(),
      fault.rateLimit({ headers: { 'retry-after-ms': '20' } }),
      fault.contextTooLong(),
      fault.quotaExceeded(),
    );
    const model = modelOf(provider);
    const errors = [];
    for (let index = 0; index < 4; index++) errors.push(callError((await collect(model)).error));
    expect(errors).toMatchObject([
      { message: expect.stringMatching(/overloaded/i), isRetryable: true },
      { statusCode: 429, responseHeaders: { 'retry-after-ms': '20' } },
      { statusCode: 400, message: expect.stringMatching(/too long|maximum/) },
      { message: expect.stringMatching(/quota|credit|funds/) },
    ]);
  });

  test('a connection is reset before the first byte', async () => {
    provider.answer(fault.reset());
    const { error, parts } = await collect(modelOf(provider));
    expect(callError(error)).toMatchObject({ statusCode: undefined });
    expect(parts).toEqual([]);
    expect(await provider.closed[0]).toBe('reset');
  });

  test('a connection is reset after the scripted number of parts', async () => {
    const seen = gate();
    const of = answer([text(['a', 'b', seen, 'c'])]);
    provider.answer(fault.reset({ afterParts: 2, of }));
    let deltas = 0;
    const { text: got, error } = await collect(modelOf(provider), {
      onPart(part) {
        if (part.type === 'text-delta' && ++deltas === 2) seen.release();
      },
    });
    expect(got).toBe('ab');
    expect(error).toBeInstanceOf(Error);
  });

  test.each([
    ['before the first byte', { headers: false }],
    ['after the headers', {}],
  ])('a stream hangs %s until the client aborts', async (_when, options) => {
    provider.answer(fault.hang(options));
    const abort = new AbortController();
    const collecting = collect(modelOf(provider), { abortSignal: abort.signal });
    const { ended } = await provider.request(0);
    abort.abort();
    const { text: got } = await collecting;
    expect(got).toBe('');
    expect(await ended).toBe('aborted');
  });

  test('a stream hangs after a part until the client aborts', async () => {
    provider.answer(fault.hang({ afterParts: 1, of: answer([text(['one', 'two'])]) }));
    const abort = new AbortController();
    const { text: got } = await collect(modelOf(provider), {
      abortSignal: abort.signal,
      onPart: (part) => part.type === 'text-delta' && abort.abort(),
    });
    expect(got).toBe('one');
    expect(await provider.closed[0]).toBe('aborted');
  });

  test('an event with invalid JSON is sent between valid ones', async () => {
    provider.answer(fault.malformedSse({ of: answer([text(['one', 'two'])]) }));
    const { error } = await collect(modelOf(provider));
    expect(error).toMatchObject({ name: expect.stringMatching(/AI_JSONParseError/) });
    provider.answer(fault.malformedSse({ of: answer([text(['one', 'two'])]) }));
    const { body } = await post(provider, SMALLEST[api]);
    const [before, after] = String(body).split('{"this": is not JSON');
    expect(before).toContain('one');
    expect(after).toContain('two');
  });

  test('a response ends within a tool call', async () => {
    provider.answer(fault.cutJson());
    const { of } = await collect(modelOf(provider));
    // Chat Completions packages return truncated arguments, or `{}`.
    for (const { input } of of('tool-call')) {
      if (input !== '{}') expect(() => JSON.parse(input)).toThrow(SyntaxError);
    }
    if (api === 'bedrock') return;
    provider.answer(fault.cutJson({ of: answer([text('first'), toolCall('add', { a: 1 })]) }));
    const { body } = await post(provider, SMALLEST[api]);
    const lastEvent = String(body).split('\n\n').at(-1) ?? '';
    expect(lastEvent).toMatch(/data: \{/);
    expect(() => JSON.parse(lastEvent.slice(lastEvent.indexOf('{')))).toThrow(SyntaxError);
  });

  test('a body can be empty', async () => {
    provider.answer(fault.emptyBody(), fault.emptyBody());
    const { status, body } = await post(provider, SMALLEST[api]);
    expect([status, body]).toEqual([200, '']);
    const { text: got, finish } = await collect(modelOf(provider));
    expect(got).toBe('');
    expect(finish?.finishReason.unified).not.toBe('stop');
  });

  test('a stream ends after its first event, or after some parts', async () => {
    const of = answer([text(['one', 'two', 'three'])]);
    provider.answer(fault.eof(), fault.eof({ afterParts: 2, of }));
    const first = await post(provider, SMALLEST[api]);
    expect(String(first.body).match(api === 'bedrock' ? /:event-type/g : /^data: /gm)).toHaveLength(
      1,
    );
    const { text: got, finish } = await collect(modelOf(provider));
    expect(got).toBe('onetwo');
    expect(finish?.finishReason.unified).not.toBe('stop');
  });

  test('the error event of the API is sent in the middle of a stream', async () => {
    provider.answer(fault.errorEvent({ afterParts: 1, of: answer([text(['one', 'two'])]) }));
    const { text: got, error } = await collect(modelOf(provider));
    expect(got).toBe('one');
    expect(JSON.stringify(error) + String(error)).toMatch(/overloaded/i);
  });

  test('two calls have the same id', async () => {
    provider.answer(fault.duplicateIds({ id: 'twin' }));
    const { body } = await post(provider, SMALLEST[api]);
    const ids = [...String(body).matchAll(/"(?:call_id|id|toolUseId)":"twin"/g)];
    expect(ids.length).toBeGreaterThanOrEqual(2);
  });

  test('a fault past the end of its answer fails with an error about the script', async () => {
    provider.answer(fault.eof({ afterParts: 2, of: answer([text('one')]) }));
    const { status } = await post(provider, SMALLEST[api]);
    expect(status).toBe(400);
    expect(provider.rejected[0]?.message).toContain('the answer has only 1 parts');
  });
});
