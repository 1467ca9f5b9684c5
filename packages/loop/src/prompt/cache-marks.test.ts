import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { cacheMarkOf } from '../providers/cache-mark.ts';
import { markCache } from './cache-marks.ts';

const ANTHROPIC = cacheMarkOf('anthropic.messages', 'claude-sonnet-4-5')!;

const system = (content: string): LanguageModelV4Message => ({ role: 'system', content });
const user = (text: string): LanguageModelV4Message => ({
  role: 'user',
  content: [{ type: 'text', text }],
});
const assistant = (blocks = 1): LanguageModelV4Message => ({
  role: 'assistant',
  content: Array.from({ length: blocks }, (_, n) => ({
    type: 'tool-call',
    toolCallId: `${n}`,
    toolName: 't',
    input: {},
  })),
});
const results = (blocks: number): LanguageModelV4Message => ({
  role: 'tool',
  content: Array.from({ length: blocks }, (_, n) => ({
    type: 'tool-result',
    toolCallId: `${n}`,
    toolName: 't',
    output: { type: 'text', value: '' },
  })),
});
const marks = (prompt: LanguageModelV4Prompt) =>
  markCache(prompt, ANTHROPIC).flatMap((m, index) =>
    m.providerOptions?.['anthropic']?.['cacheControl'] ? [index] : [],
  );

test('the last system message and the last two messages are marked', () => {
  expect(marks([system('a'), system('b'), user('hello'), assistant(), user('go on')])).toEqual([
    1, 3, 4,
  ]);
});

test("the caller's messages are not modified, and marked copies keep their other options", () => {
  const own = { ...user('x'), providerOptions: { anthropic: { other: 1 }, openai: { x: 1 } } };
  const prompt = [system('a'), own];
  const before = structuredClone(prompt);
  const marked = markCache(prompt, ANTHROPIC);
  expect(prompt).toEqual(before);
  expect(marked[1]?.providerOptions).toEqual({
    anthropic: { other: 1, cacheControl: { type: 'ephemeral' } },
    openai: { x: 1 },
  });
});

test('if a step adds more than twenty blocks, the end of the last prompt is marked, too', () => {
  const history = [system('a'), user('1'), assistant(), user('2')];
  expect(marks([...history, assistant(10), results(10)])).toEqual([0, 4, 5]);
  expect(marks([...history, assistant(11), results(10)])).toEqual([0, 3, 4, 5]);
});

test('a prompt has at most four marks', () => {
  const prompt = [
    system('a'),
    system('b'),
    user('1'),
    assistant(30),
    results(30),
    user('2'),
    assistant(40),
    results(40),
  ];
  expect(marks(prompt).length).toBe(4);
});

test('prompts with fewer messages have fewer marks', () => {
  expect(marks([system('a')])).toEqual([0]);
  expect(marks([user('x')])).toEqual([0]);
  expect(marks([])).toEqual([]);
});

test('if a mark on a tool message would apply to each result, only the last result is marked', () => {
  const mark = cacheMarkOf('openrouter', 'anthropic/claude-sonnet-4.5')!;
  const [, marked] = markCache([user('1'), results(3)], mark);
  expect(marked?.providerOptions).toBeUndefined();
  const options = marked?.role === 'tool' ? marked.content.map((part) => part.providerOptions) : [];
  expect(options).toEqual([undefined, undefined, mark.options]);
});
