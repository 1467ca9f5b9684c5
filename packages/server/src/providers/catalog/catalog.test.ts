import { expect, test } from 'vitest';
import { knownModel } from './index.ts';

test.each([
  ['anthropic', 'claude-sonnet-4-5', 'Claude Sonnet 4.5'],
  ['anthropic', 'claude-sonnet-4-5-20250929', 'Claude Sonnet 4.5'],
  ['bedrock', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'Claude Sonnet 4.5'],
  ['bedrock', 'anthropic.claude-opus-4-6-v1', 'Claude Opus 4.6'],
  ['openrouter', 'anthropic/claude-sonnet-4.5', 'Claude Sonnet 4.5'],
  ['vercel', 'openai/gpt-5.4', 'GPT-5.4'],
  ['openai', 'gpt-5-2025-08-07', 'GPT-5'],
  ['openai', 'gpt-5.4-mini', 'GPT-5.4 mini'],
  ['azure', 'gpt-4o', 'GPT-4o'],
  ['google', 'gemini-2.5-pro', 'Gemini 2.5 Pro'],
] as const)('%s: %s is %s', (type, model, name) => {
  expect(knownModel(type, model)?.name).toBe(name);
});

test.each([
  ['anthropic', 'gpt-5'],
  ['openai', 'gpt-99'],
  ['openai', 'constructor'],
  ['openai-compatible', 'gpt-5'],
] as const)('%s: %s is unknown', (type, model) => {
  expect(knownModel(type, model)).toBeUndefined();
});

test('prices are in micros per million tokens', () => {
  expect(knownModel('anthropic', 'claude-sonnet-4-5')?.price).toEqual({
    input: 3_000_000,
    output: 15_000_000,
    cache_read: 300_000,
    cache_write: 3_750_000,
  });
});

test('models of resellers have no price', () => {
  expect(knownModel('openrouter', 'anthropic/claude-sonnet-4.5')?.price).toBeUndefined();
});
