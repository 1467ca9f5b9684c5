import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { SecretValues } from '../../secrets/secret-values.ts';
import { AnswerParts } from '../answer-parts.ts';
import type { CallEnd } from '../observer.ts';
import { entryOf } from './entry.ts';

const COMPLETED: CallEnd = { how: 'completed', durationMs: 1.4 };

function entry(options: LanguageModelV4CallOptions, answer = new AnswerParts(1000)) {
  const call = {
    chat: { id: 'chat', owner_id: 'owner' },
    configId: 'config',
    purpose: 'turn' as const,
    provider: 'anthropic.messages',
    model: 'm',
    attempt: 1,
    options,
    warnings: [],
  };
  return entryOf(call, answer, COMPLETED, new SecretValues());
}

const message = (text: string): LanguageModelV4Prompt[number] => ({
  role: 'user',
  content: [{ type: 'text', text }],
});

test('the newest part of a long conversation is kept, in order', () => {
  const prompt = Array.from({ length: 40 }, (_, at) => message(`${at} ${'x'.repeat(9000)}`));
  const { request } = entry({ prompt });
  const text = JSON.stringify(request);
  expect(text.length).toBeLessThan(140_000);
  expect(text).toMatch(/"… \(\d+ more\)".*"38 x.*"39 x/);
  expect(text).not.toContain('"0 x');
});

test('a file is recorded as its size, and headers without keys', () => {
  const data = { type: 'data' as const, data: new Uint8Array(1234) };
  const content = [{ type: 'file' as const, mediaType: 'image/png', data }];
  const { request } = entry({
    prompt: [{ role: 'user', content }],
    headers: { authorization: 'Bearer nobody-told-us', 'x-trace': '1' },
    abortSignal: new AbortController().signal,
  });
  expect(request).toEqual({
    prompt: [
      {
        role: 'user',
        content: [
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: { bytes: 1234 } } },
        ],
      },
    ],
    tools: [],
    settings: { headers: { authorization: '[hidden]', 'x-trace': '1' } },
  });
});

test('an answer is assembled from its parts, with the number of characters that were cut', () => {
  const answer = new AnswerParts(20);
  answer.add({ type: 'text-start', id: '0' });
  answer.add({ type: 'text-delta', id: '0', delta: 'Hello ' });
  answer.add({ type: 'text-delta', id: '0', delta: 'you.' });
  answer.add({ type: 'tool-input-start', id: 'c1', toolName: 'add' });
  answer.add({ type: 'tool-input-delta', id: 'c1', delta: '{"a":' });
  answer.add({ type: 'tool-input-delta', id: 'c1', delta: '123456789}' });
  answer.add({ type: 'tool-call', toolCallId: 'c1', toolName: 'add', input: '{"a":123456789}' });
  expect(entry({ prompt: [] }, answer).response).toEqual({
    parts: [
      { type: 'text', text: 'Hello you.' },
      { type: 'tool-call', id: 'c1', name: 'add', input: '{"a":12345' },
    ],
    cut: 5,
  });
});
