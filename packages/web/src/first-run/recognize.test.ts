import { expect, test } from 'vitest';
import { recognize } from './recognize.ts';

test.each([
  ['sk-ant-api03-x', 'anthropic'],
  [' sk-or-v1-x', 'openrouter'],
  ['sk-proj-x', 'openai'],
  ['AIzaSyX', 'google'],
  ['vck_x', 'vercel'],
  ['http://127.0.0.1:11434/v1', 'openai-compatible'],
  ['gsk_x', undefined],
  ['', undefined],
])('%s belongs to %s', (text, type) => {
  expect(recognize(text)?.type).toBe(type);
});
