import { expect, test } from 'vitest';
import { largestPassing } from '../../bench/agents/search.ts';

async function search(capacity: number, options = { start: 100, precision: 0.05, max: 4000 }) {
  const tried: number[] = [];
  const found = await largestPassing((count) => {
    tried.push(count);
    return Promise.resolve(count <= capacity);
  }, options);
  return { found, tried };
}

test.each([1, 63, 99, 100, 101, 317, 800])(
  'the result passes and is close to the capacity %i',
  async (capacity) => {
    const { found } = await search(capacity);
    expect(found).toBeLessThanOrEqual(capacity);
    expect(found * 1.05 + 1).toBeGreaterThanOrEqual(capacity);
  },
);

test('without a passing count, the result is 0', async () => {
  expect((await search(0)).found).toBe(0);
});

test('counts above the maximum are not tried', async () => {
  const { found, tried } = await search(1e9);
  expect(found).toBe(3200);
  expect(Math.max(...tried)).toBeLessThanOrEqual(4000);
});
