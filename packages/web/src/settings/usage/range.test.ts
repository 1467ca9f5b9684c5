import { expect, test } from 'vitest';
import { isRange } from './range.ts';

test.each([
  ['2026-11-01', '2026-11-01', true],
  ['2026-11-02', '2026-11-01', false],
  ['', '2026-11-01', false],
  ['2026-11-01', '20261-11-01', false],
])('from %s to %s is a range: %s', (first, last, expected) => {
  expect(isRange({ first, last })).toBe(expected);
});
