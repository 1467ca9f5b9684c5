import { expect, test } from 'vitest';
import { contextLimitIn, isContextLimitKey } from './context-limit.ts';

test.each([
  'context_limit',
  'contextWindow',
  'context-length',
  'maxContext',
  'max_context_tokens',
  'max_input_tokens',
  'inputTokenLimit',
  'model_context_limit',
  'contextWindowSize',
  'max_context_window',
  'maxContextLength',
  'maximumContextTokens',
])('%s is a context limit', (key) => expect(isContextLimitKey(key)).toBe(true));

test.each([
  'max_context_version',
  'context',
  'context_id',
  'contextual_limit',
  'output_token_limit',
  'max_tokens',
  'context_window_used',
  'context_tokens',
  'context_length_used',
  'unlimited_contexts',
  '',
])('%s is not a context limit', (key) => expect(isContextLimitKey(key)).toBe(false));

test('the limit is the largest positive candidate at any depth, including numeric strings', () => {
  const metadata = {
    gateway: { routing: [{ context_limit: 1000 }, { model: { contextWindow: ' 200000 ' } }] },
    openai: { context_limit: -5, max_context_version: 9_000_000 },
  };
  expect(contextLimitIn(metadata)).toBe(200_000);
});

test.each([
  [{ context_limit: 0 }],
  [{ context_limit: 1.5 }],
  [{ context_limit: '12k' }],
  [{}],
  [undefined],
  [null],
])('%o states no limit', (metadata) => expect(contextLimitIn(metadata)).toBeUndefined());
