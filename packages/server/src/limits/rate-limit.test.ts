import { expect, test } from 'vitest';
import { RateLimit } from './rate-limit.ts';

function clocked(pointsPerMinute: number) {
  let now = 0;
  const limit = new RateLimit(pointsPerMinute, () => now);
  return { limit, advance: (ms: number) => (now += ms) };
}

test('a key pays from its budget until it is empty, then waits for the points it lacks', () => {
  const { limit, advance } = clocked(360);
  expect(limit.waitMs('ann', 50)).toBe(0);
  limit.take('ann', 50);
  expect(limit.waitMs('ann', 10)).toBe(0);
  expect(limit.waitMs('ann', 22)).toBe(2000);
  advance(1000);
  expect(limit.waitMs('ann', 22)).toBe(1000);
  advance(1000);
  expect(limit.waitMs('ann', 22)).toBe(0);
});

test('the budget of one key does not depend on another', () => {
  const { limit } = clocked(360);
  limit.take('ann', 60);
  expect(limit.waitMs('ann', 6)).toBe(1000);
  expect(limit.waitMs('ben', 60)).toBe(0);
});

test('unused points do not add up beyond ten seconds', () => {
  const { limit, advance } = clocked(360);
  advance(3_600_000);
  limit.take('ann', 60);
  expect(limit.waitMs('ann', 6)).toBe(1000);
});

test('a request that costs more than the budget runs when the budget is full', () => {
  const { limit, advance } = clocked(30);
  limit.take('ann', 10);
  expect(limit.waitMs('ann', 10)).toBe(10_000);
  advance(10_000);
  expect(limit.waitMs('ann', 10)).toBe(0);
});

test('full buckets are dropped, used ones are kept', () => {
  const { limit, advance } = clocked(360);
  for (let index = 0; index < 1000; index += 1) limit.take(`user ${index}`, 1);
  expect(limit.size).toBe(1000);
  advance(59_999);
  limit.take('ann', 60);
  advance(1);
  limit.take('ben', 1);
  expect(limit.size).toBe(2);
  expect(limit.waitMs('ann', 60)).toBeGreaterThan(9000);
});
