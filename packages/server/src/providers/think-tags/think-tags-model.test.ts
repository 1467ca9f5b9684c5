import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { buildModel } from '../build-model.ts';

/** Asks a server that streams these pieces as Chat Completions. */
async function ask(pieces: readonly string[]): Promise<LanguageModelV4StreamPart[]> {
  const events = [
    ...pieces.map((content) => ({ choices: [{ index: 0, delta: { content } }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  ];
  // One read per event, because deltas of one read are merged.
  const reads = events.map((event) =>
    Buffer.from(`data: ${JSON.stringify({ id: 'c', model: 'm', created: 1, ...event })}\n\n`),
  );
  const headers = { 'content-type': 'text/event-stream' };
  const body = ReadableStream.from(reads) as ReadableStream<Uint8Array>;
  const fetch = () => Promise.resolve(new Response(body, { headers }));
  const access = { type: 'openai-compatible' as const, base_url: 'http://models.test/v1' };
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: '2+2?' }] }];
  const parts: LanguageModelV4StreamPart[] = [];
  const model = await buildModel(access, 'qwen3', fetch);
  await model.push({ prompt }, (part) => void parts.push(part));
  return parts;
}

const said = (parts: readonly LanguageModelV4StreamPart[]) =>
  parts.flatMap((part) => {
    if (!/^(?:text|reasoning)-/.test(part.type)) return [];
    return 'delta' in part ? [`${part.type} ${part.delta}`] : [part.type];
  });

test('text between think tags is reasoning, even if the tags are split', async () => {
  expect(said(await ask(['<th', 'ink>Two and', ' two</', 'think>', '\n\n', 'Four', '.']))).toEqual([
    'reasoning-start',
    'reasoning-delta Two and',
    'reasoning-delta  two',
    'reasoning-end',
    'text-start',
    'text-delta Four',
    'text-delta .',
    'text-end',
  ]);
});

test('an answer without tags is unchanged', async () => {
  expect(said(await ask(['Four', '.']))).toEqual([
    'text-start',
    'text-delta Four',
    'text-delta .',
    'text-end',
  ]);
});

test('an answer that ends before the closing tag is only reasoning', async () => {
  expect(said(await ask(['<think>Two and']))).toEqual([
    'reasoning-start',
    'reasoning-delta Two and',
    'reasoning-end',
  ]);
});
