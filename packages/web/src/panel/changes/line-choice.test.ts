import { expect, test } from 'vitest';
import { chosen, chosenLines, isChosen } from './line-choice.ts';
import type { PatchLine } from './patch.ts';

const LINES: PatchLine[] = [
  { kind: 'context', before: 1, after: 1, text: 'one' },
  { kind: 'removed', before: 2, after: undefined, text: 'two' },
  { kind: 'added', before: undefined, after: 2, text: '2' },
  { kind: 'context', before: 3, after: 3, text: 'three' },
];

test('a selection extends from its anchor in both directions', () => {
  const began = chosen(undefined, 0, 3, false);
  const extended = chosen(began, 0, 1, true);
  expect([0, 1, 2, 3].filter((line) => isChosen(extended, 0, line))).toEqual([1, 2, 3]);
  expect(isChosen(extended, 1, 2)).toBe(false);
  expect(chosen(extended, 1, 0, true)).toEqual({ hunk: 1, from: 0, to: 0 });
});

test('the new lines are selected', () => {
  expect(chosenLines(LINES, { hunk: 0, from: 3, to: 0 })).toEqual({
    start: 1,
    end: 3,
    content: 'one\n2\nthree',
  });
});

test('removed lines are selected with their old content', () => {
  expect(chosenLines(LINES, { hunk: 0, from: 1, to: 1 })).toEqual({
    start: 2,
    end: 2,
    content: 'two',
  });
});
