import { expect, test } from 'vitest';
import { mergeDeltas } from '@chatd/loop';
import { answer, fault, startFakeProvider, text } from '@chatd/testing';
import { modelOf } from './support/models.ts';

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'x' }] }];
const stream = (chunks: (string | Uint8Array)[], type = 'text/event-stream', status = 200) =>
  new Response(
    ReadableStream.from(
      chunks.map((c) => (typeof c === 'string' ? Buffer.from(c) : c)),
    ) as ReadableStream<Uint8Array>,
    { status, headers: { 'content-type': type, 'x-request-id': 'r' } },
  );
const delta = (t: string) =>
  `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${t}"}}\n\n`;

async function chunksOf(response: Response): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>)
    chunks.push(new TextDecoder().decode(chunk));
  return chunks;
}
const fetched = async (response: Response) =>
  mergeDeltas(() => Promise.resolve(response))('http://x');

test('deltas of one network read are merged, those of different reads are not', async () => {
  const response = await fetched(stream([delta('a') + delta('b'), delta('c')]));
  expect(await chunksOf(response)).toEqual([delta('ab'), delta('c')]);
  expect(response.headers.get('x-request-id')).toBe('r');
});

test('a character that the network cuts in two stays whole', async () => {
  const bytes = Buffer.from(delta('ä€😀') + delta('x'));
  for (let at = 1; at < bytes.length; at++) {
    const response = await fetched(stream([bytes.subarray(0, at), bytes.subarray(at)]));
    const texts = [...(await chunksOf(response)).join('').matchAll(/"text":"([^"]*)"/g)].map(
      ([, t]) => t,
    );
    expect(texts.join('')).toBe('ä€😀x');
  }
});

test.each([
  ['JSON', 'application/json', 200],
  ['an error', 'text/event-stream', 529],
])('%s passes untouched', async (_, type, status) => {
  const original = stream([delta('a') + delta('b')], type, status);
  expect(await fetched(original)).toBe(original);
});

test('what is left of a cut stream is handed on', async () => {
  expect((await chunksOf(await fetched(stream([delta('a'), 'data: {"half'])))).join('')).toBe(
    `${delta('a')}data: {"half`,
  );
});

test('cancelling the merged stream cancels the request', async () => {
  await using fake = await startFakeProvider({ api: 'anthropic' });
  fake.answer(fault.hang({ afterParts: 1, of: answer([text('never ends', { chunks: 5 })]) }));
  const { stream: parts } = await modelOf('anthropic', fake.url, mergeDeltas()).doStream({
    prompt,
  });
  await parts.cancel();
  expect(await fake.closed[0]).toBe('aborted');
});

test('the package sees far fewer parts in a burst, and the same text', async () => {
  await using fake = await startFakeProvider({ api: 'anthropic' });
  const said = Array.from({ length: 2_000 }, (_, n) => `w${n} `).join('');
  fake.answer(answer([text(said, { chunks: 2_000 })]), answer([text(said, { chunks: 2_000 })]));
  const deltas = async (fetch?: typeof globalThis.fetch) => {
    const { stream: parts } = await modelOf('anthropic', fake.url, fetch).doStream({ prompt });
    const all: string[] = [];
    for await (const part of parts as unknown as AsyncIterable<{ type: string; delta: string }>) {
      if (part.type === 'text-delta') all.push(part.delta);
    }
    return all;
  };
  const plain = await deltas();
  const merged = await deltas(mergeDeltas());
  expect(merged.join('')).toBe(plain.join(''));
  expect(merged.length).toBeLessThan(plain.length / 2);
});
