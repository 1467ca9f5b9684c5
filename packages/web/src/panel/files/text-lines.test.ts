import { expect, test } from 'vitest';
import { MOST_LINES, textLines } from './text-lines.ts';

test('a text becomes numbered lines', () => {
  const { hunks, cut } = textLines('one\r\ntwo\n\nfour\n');
  expect(cut).toBe(false);
  expect(hunks.flatMap(({ lines }) => lines.map(({ after, text }) => [after, text]))).toEqual([
    [1, 'one'],
    [2, 'two'],
    [3, ''],
    [4, 'four'],
  ]);
});

test('only the first lines of a long text are shown', () => {
  const { hunks, cut } = textLines('x\n'.repeat(MOST_LINES + 1));
  expect(cut).toBe(true);
  expect(hunks.flatMap(({ lines }) => lines)).toHaveLength(MOST_LINES);
});
