import { expect, test } from 'vitest';
import { nextRenderedRange, type RowRange } from './rendered-range.ts';

const range = (from: number, to: number): RowRange => ({ from, to });

test('visible rows render at once, overscan rows frame by frame', () => {
  const seen = range(50, 55);
  const ready = range(45, 61);
  const frames: RowRange[] = [];
  let drawn: RowRange | undefined;
  do {
    drawn = nextRenderedRange(drawn, seen, ready);
    frames.push(drawn);
  } while (drawn.from > ready.from || drawn.to < ready.to);
  expect(frames[0]).toEqual(range(48, 57));
  expect(frames.at(-1)).toEqual(ready);
  frames.forEach((frame, at) => {
    const before = frames[at - 1] ?? seen;
    expect(before.from - frame.from + frame.to - before.to).toBeLessThanOrEqual(4);
  });
});

test('fast scrolling shows no gap', () => {
  expect(nextRenderedRange(range(50, 60), range(40, 45), range(35, 50))).toEqual(range(38, 47));
  expect(nextRenderedRange(range(50, 60), range(44, 54), range(39, 59))).toEqual(range(44, 59));
});

test('distant rows are removed', () => {
  expect(nextRenderedRange(range(0, 60), range(50, 55), range(45, 60))).toEqual(range(45, 60));
});

test('the range stays within the rows', () => {
  expect(nextRenderedRange(undefined, range(0, 1), range(0, 1))).toEqual(range(0, 1));
  expect(nextRenderedRange(range(0, 3), range(0, 0), range(0, 0))).toEqual(range(0, 0));
});
