import { expect, test } from 'vitest';
import { post } from '../test/support/post.ts';
import { answer, startFakeProvider, text, toolCall, wireEvents } from './index.ts';

test('the events match those that the fake provider sends', async () => {
  await using provider = await startFakeProvider({ api: 'anthropic', now: () => 0 });
  const scripted = answer([text('one two', { chunks: 2 }), toolCall('add', { a: 1 })]);
  provider.answer(scripted);
  const { body } = await post(provider, {
    model: 'fake',
    max_tokens: 1,
    stream: true,
    messages: [{ role: 'user', content: 'x' }],
  });
  expect(wireEvents('anthropic', scripted).join('')).toBe(body);
});
