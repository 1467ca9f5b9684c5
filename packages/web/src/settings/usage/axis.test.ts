import { expect, test } from 'vitest';
import { ticksTo } from './axis.ts';

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [10, [0, 5, 10]],
  [97, [0, 25, 50, 75, 100]],
  [1_450_000, [0, 500_000, 1_000_000, 1_500_000]],
])('the axis to %i has round values', (most, ticks) => {
  expect(ticksTo(most)).toEqual(ticks);
});
