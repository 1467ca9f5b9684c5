import type { Api } from './index.ts';
import { describe, expect, test } from 'vitest';
import { collect } from '../test/support/collect.ts';
import { modelOf } from '../test/support/models.ts';
import { post } from '../test/support/post.ts';
import { SMALLEST } from '../test/support/smallest.ts';
import { APIS } from './api.ts';
import {
  answer,
  fault,
  gate,
  inProcessProvider,
  startFakeProvider,
  text,
  toolCall,
} from './index.ts';

const SCRIPT = [
  answer([text('one two', { chunks: 2 }), toolCall('add', { a: 1 })]),
  fault.overloaded(),
  fault.errorEvent(),
  fault.malformedSse(),
];
const now = () => 1_800_000_000_000;

describe.each(APIS)('%s', (api: Api) => {
  test('the response has the same bytes as that of the HTTP server', async () => {
    await using server = await startFakeProvider({ api, now });
    const local = inProcessProvider({ api, now });
    server.answer(...SCRIPT);
    local.answer(...SCRIPT);
    for (let index = 0; index < 5; index++) {
      expect(await post(local, SMALLEST[api])).toEqual(await post(server, SMALLEST[api]));
    }
    expect(local.rejected).toHaveLength(1);
    expect(local.rejected[0]?.message).toBe(server.rejected[0]?.message);
    expect(await Promise.all(local.closed)).toEqual(await Promise.all(server.closed));
  });

  test('the provider package reads a streamed answer', async () => {
    const provider = inProcessProvider({ api });
    const pause = gate();
    provider.answer(answer([text(['Hel', pause, 'lo']), toolCall('add', { a: 1 })]));
    const collecting = collect(modelOf(provider));
    await pause.reached;
    pause.release();
    const { text: got, of } = await collecting;
    expect(got).toBe('Hello');
    expect(of('tool-call')).toMatchObject([{ toolName: 'add' }]);
    expect(provider.rejected).toEqual([]);
  });
});

const BODY = JSON.stringify(SMALLEST['openai-compatible']);

function ask(provider: ReturnType<typeof inProcessProvider>, signal?: AbortSignal) {
  const init = { method: 'POST', body: BODY, ...(signal && { signal }) };
  return provider.fetch(`${provider.url}/chat/completions`, init);
}

test('a request with an aborted signal is not sent', async () => {
  const provider = inProcessProvider({ api: 'openai-compatible' });
  await expect(ask(provider, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
  const abort = new AbortController();
  const asked = ask(provider, abort.signal);
  abort.abort(new Error('stop'));
  await expect(asked).rejects.toThrow('stop');
  expect(provider.requests).toEqual([]);
});

test('an abort before the headers rejects the request', async () => {
  const provider = inProcessProvider({ api: 'openai-compatible' });
  provider.answer(fault.hang({ headers: false }));
  const abort = new AbortController();
  const asked = ask(provider, abort.signal);
  await provider.request(0);
  abort.abort(new Error('stop'));
  await expect(asked).rejects.toThrow('stop');
  expect(await provider.closed[0]).toBe('aborted');
});

test('an abort at a gate ends the body with its reason', async () => {
  const provider = inProcessProvider({ api: 'openai-compatible' });
  const pause = gate();
  provider.answer(answer([text(['half', pause])]));
  const abort = new AbortController();
  const response = await ask(provider, abort.signal);
  await pause.reached;
  abort.abort(new Error('stop'));
  await expect(response.text()).rejects.toThrow('stop');
  expect(await provider.closed[0]).toBe('aborted');
});

test('an abort drops unread data', async () => {
  const provider = inProcessProvider({ api: 'openai-compatible' });
  provider.answer(answer([text('whole')]));
  const abort = new AbortController();
  const response = await ask(provider, abort.signal);
  expect(await provider.closed[0]).toBe('complete');
  abort.abort(new Error('stop'));
  await expect(response.text()).rejects.toThrow('stop');
});

test('a client that cancels the body aborts the response', async () => {
  const provider = inProcessProvider({ api: 'openai-compatible' });
  provider.answer(answer([text(['half', gate()])]));
  const response = await ask(provider);
  await response.body?.cancel();
  expect(await provider.closed[0]).toBe('aborted');
});

test('a reset fails with the error of the global fetch', async () => {
  const provider = inProcessProvider({ api: 'openai-compatible' });
  const cause = { code: 'ECONNRESET' };
  provider.answer(fault.reset(), fault.reset({ afterParts: 1 }));
  await expect(ask(provider)).rejects.toMatchObject({ message: 'fetch failed', cause });
  const response = await ask(provider);
  await expect(response.text()).rejects.toMatchObject({ message: 'terminated', cause });
  expect(await Promise.all(provider.closed)).toEqual(['reset', 'reset']);
});

test('a `Request` works like a URL with options', async () => {
  const provider = inProcessProvider({ api: 'openai-compatible' });
  provider.answer(answer([text('whole')]));
  const url = `${provider.url}/chat/completions`;
  const response = await provider.fetch(new Request(url, { method: 'POST', body: BODY }));
  expect(await response.text()).toContain('whole');
});

test('closing ends open responses and refuses new ones', async () => {
  const provider = inProcessProvider({ api: 'openai-compatible' });
  provider.answer(fault.hang());
  const response = await ask(provider);
  await provider.close();
  await expect(response.text()).rejects.toThrow('terminated');
  await expect(ask(provider)).rejects.toThrow('fetch failed');
});
