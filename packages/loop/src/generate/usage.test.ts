import { expect, test } from 'vitest';
import { costMicros, usageOf } from './usage.ts';

const none = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };

test('input, cache read and cache write add up to the prompt', () => {
  const usage = usageOf(
    {
      inputTokens: { total: 1000, noCache: undefined, cacheRead: 700, cacheWrite: 200 },
      outputTokens: { total: 50, text: 20, reasoning: 30 },
    },
    200_000,
  );
  expect(usage).toEqual({
    input_tokens: 100,
    cache_read_tokens: 700,
    cache_creation_tokens: 200,
    output_tokens: 50,
    reasoning_tokens: 30,
    total_tokens: 1050,
    context_limit: 200_000,
  });
});

test('values that were not reported are absent', () => {
  const usage = {
    inputTokens: none,
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
  };
  expect(usageOf(usage, undefined)).toEqual({});
});

test('reasoning tokens may exceed the output', () => {
  const usage = usageOf(
    {
      inputTokens: { ...none, total: 10 },
      outputTokens: { total: 5, text: undefined, reasoning: 90 },
    },
    undefined,
  );
  expect(usage).toMatchObject({ output_tokens: 5, reasoning_tokens: 90, total_tokens: 15 });
});

test('each class of tokens has its own price, and cached tokens without one are priced as input', () => {
  const usage = {
    input_tokens: 1_000_000,
    cache_read_tokens: 1_000_000,
    output_tokens: 500_000,
    total_tokens: 2_500_000,
  };
  expect(costMicros(usage, { input: 3_000_000, output: 15_000_000, cache_read: 300_000 })).toBe(
    10_800_000,
  );
  expect(costMicros(usage, { input: 3_000_000, output: 15_000_000 })).toBe(13_500_000);
  expect(costMicros(usage, undefined)).toBeUndefined();
});

test('cache writes are not counted twice', () => {
  const usage = usageOf(
    {
      inputTokens: { total: 1000, noCache: 300, cacheRead: 700, cacheWrite: 200 },
      outputTokens: { total: 5, text: 5, reasoning: 0 },
    },
    undefined,
  );
  expect(usage).toMatchObject({ input_tokens: 100, cache_read_tokens: 700, total_tokens: 1005 });
});
