import { expect, test } from 'vitest';
import { byLine, endingOf } from './hunk-highlights.ts';

test('highlights of a text are split by line', () => {
  // "ab" is blue, "cd\nef" is one string over two lines, "h" is red.
  const texts = ['ab cd', 'ef', '', 'gh'];
  expect(byLine([0, 2, 1, 3, 8, 2, 11, 12, 3], texts)).toEqual([
    [0, 2, 1, 3, 5, 2],
    [0, 2, 2],
    [],
    [1, 2, 3],
  ]);
});

test('the file extension selects the language', () => {
  expect(['src/a.test.ts', 'Makefile', '.gitignore'].map(endingOf)).toEqual([
    'ts',
    'Makefile',
    'gitignore',
  ]);
});
