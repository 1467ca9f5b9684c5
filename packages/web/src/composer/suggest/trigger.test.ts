import { expect, test } from 'vitest';
import { triggerAt } from './trigger.ts';

const typed = (text: string) => triggerAt(text, text.length, text.length);

test('an @ at the start of a word mentions a file', () => {
  expect(typed('look at @src/ma')).toEqual({ kind: 'file', query: 'src/ma', from: 8, to: 15 });
  expect(typed('@')).toEqual({ kind: 'file', query: '', from: 0, to: 1 });
  expect(typed('(@a')?.kind).toBe('file');
});

test('an @ within a word or before a space triggers nothing', () => {
  expect(typed('me@example')).toBeUndefined();
  expect(typed('@src/main.ts is')).toBeUndefined();
});

test('a / triggers commands only at the very beginning', () => {
  expect(typed('/mo')).toEqual({ kind: 'command', query: 'mo', from: 0, to: 3 });
  expect(typed('see /mo')).toBeUndefined();
  expect(typed('/usr/bin')).toBeUndefined();
});

test('a selection triggers nothing', () => {
  expect(triggerAt('/mo', 0, 3)).toBeUndefined();
});
