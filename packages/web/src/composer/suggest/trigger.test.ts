import { expect, test } from 'vitest';
import { triggerAt } from './trigger.ts';

const typed = (text: string) => triggerAt(text, text.length, text.length);

test('an @ at the beginning of a word names a file', () => {
  expect(typed('look at @src/ma')).toEqual({ kind: 'file', query: 'src/ma', from: 8, to: 15 });
  expect(typed('@')).toEqual({ kind: 'file', query: '', from: 0, to: 1 });
  expect(typed('(@a')?.kind).toBe('file');
});

test('an @ in a word, or before a space, names nothing', () => {
  expect(typed('me@example')).toBeUndefined();
  expect(typed('@src/main.ts is')).toBeUndefined();
});

test('a / names a command only at the very beginning', () => {
  expect(typed('/mo')).toEqual({ kind: 'command', query: 'mo', from: 0, to: 3 });
  expect(typed('see /mo')).toBeUndefined();
  expect(typed('/usr/bin')).toBeUndefined();
});

test('nothing is offered while text is selected', () => {
  expect(triggerAt('/mo', 0, 3)).toBeUndefined();
});
