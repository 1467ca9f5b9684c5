import { expect, test } from 'vitest';
import { rowsBetween, topsOf } from './row-tops.ts';

const tops = topsOf([10, 20, 30, 10]);

test('the tops end with the total height', () => {
  expect(tops).toEqual([0, 10, 30, 60, 70]);
  expect(topsOf([])).toEqual([0]);
});

test('rows that overlap a range are rendered, also in part', () => {
  const every = Array.from({ length: 80 }, (_, start) => start).flatMap((start) =>
    [0, 1, 5, 25, 90].map((height) => [start, start + height] as const),
  );
  for (const [start, end] of every) {
    const { from, to } = rowsBetween(tops, start, end);
    const rows = [0, 1, 2, 3].filter(
      (row) => (tops[row] ?? 0) < end && (tops[row + 1] ?? 0) > start,
    );
    expect(rows.every((row) => row >= from && row < to)).toBe(true);
    // At most the rows that touch the range.
    expect(to - from).toBeLessThanOrEqual(rows.length + 2);
  }
});

test('an empty list, and offsets beyond the end, give no missing row', () => {
  expect(rowsBetween(topsOf([]), 0, 500)).toEqual({ from: 0, to: 0 });
  expect(rowsBetween(tops, 500, 900).to).toBe(4);
});
