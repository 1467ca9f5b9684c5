import { expect, test } from 'vitest';
import { SizedCache } from './sized-cache.ts';

test('the least recently used values are evicted first', () => {
  const cache = new SizedCache<string, number>(10);
  cache.set('a', 1, 4);
  cache.set('b', 2, 4);
  expect(cache.get('a')).toBe(1);
  cache.set('c', 3, 4);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([1, undefined, 3]);
});

test('a replaced value counts once, and a value that is too large is not kept', () => {
  const cache = new SizedCache<string, number>(10);
  cache.set('a', 1, 6);
  cache.set('a', 2, 6);
  cache.set('b', 3, 4);
  expect(cache.get('a')).toBe(2);
  cache.set('c', 4, 11);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([2, 3, undefined]);
});
