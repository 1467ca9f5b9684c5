import { expect, test } from 'vitest';
import { keyMove } from './key-move.ts';

const ROWS = [
  { level: 1, expanded: true },
  { level: 2, expanded: false },
  { level: 2, expanded: undefined },
  { level: 1, expanded: undefined },
];

test('left and right collapse, expand and move between levels', () => {
  expect(keyMove('ArrowRight', ROWS, 0)).toBe(1);
  expect(keyMove('ArrowRight', ROWS, 1)).toBe('toggle');
  expect(keyMove('ArrowRight', ROWS, 2)).toBeUndefined();
  expect(keyMove('ArrowLeft', ROWS, 0)).toBe('toggle');
  expect(keyMove('ArrowLeft', ROWS, 2)).toBe(0);
});

test('other keys move up, down and to both ends, and open', () => {
  expect(['ArrowDown', 'ArrowUp', 'Home', 'End'].map((key) => keyMove(key, ROWS, 2))).toEqual([
    3, 1, 0, 3,
  ]);
  expect(keyMove('Enter', ROWS, 2)).toBe('open');
  expect(keyMove('x', ROWS, 2)).toBeUndefined();
});
