import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { listed, PromptJson } from './prompt-json.ts';

const user = (text: string): LanguageModelV4Message => ({
  role: 'user',
  content: [{ type: 'text', text }],
});

test('messages before an unsupported one are encoded once', () => {
  const encoded: LanguageModelV4Message[] = [];
  const outside = user('outside');
  const prompts = new PromptJson(
    listed((message) => {
      if (message === outside) return undefined;
      encoded.push(message);
      return JSON.stringify(message.content);
    }),
  );
  const [first, second] = [user('first'), user('second')];
  expect(prompts.of([first, second, outside])).toBeUndefined();
  expect(prompts.of([first, second, outside])).toBeUndefined();
  expect(encoded).toEqual([first, second]);
  const { bytes } = prompts.of([first, second])!;
  expect(JSON.parse(`[${Buffer.from(bytes).toString()}]`)).toEqual([first.content, second.content]);
});

test.each([1, 3000])(
  'a cached message of %i characters keeps no memory beyond its size',
  (length) => {
    const prompts = new PromptJson(listed((message) => JSON.stringify(message.content)));
    const { bytes } = prompts.of([user('x'.repeat(length))])!;
    // Node's shared pool for small buffers would be 64 KiB.
    expect(bytes.buffer.byteLength).toBeLessThan(2048 + 2 * length);
  },
);
