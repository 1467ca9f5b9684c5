import { expect, test } from 'vitest';
import { inOrder, moved, placeAt } from './order.ts';

test('moving an item keeps the order of the others', () => {
  expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a']);
  expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b']);
  expect(moved(['a'], 5, 0)).toEqual(['a']);
});

test('a requested order tolerates added and removed items', () => {
  const items = [{ id: 1 }, { id: 3 }, { id: 4 }];
  expect(inOrder(items, [3, 2, 1]).map(({ id }) => id)).toEqual([3, 1, 4]);
  expect(inOrder(items, undefined)).toBe(items);
});

test('a row is dropped after the rows whose centers it has passed', () => {
  expect(placeAt([20, 60, 100], 5)).toBe(0);
  expect(placeAt([20, 60, 100], 61)).toBe(2);
  expect(placeAt([20, 60, 100], 400)).toBe(3);
});
