import { expect, test } from 'vitest';
import { planPin } from './pins.ts';

const pins = (...orders: [string, number][]) =>
  orders.map(([id, pin_order]) => ({ id, pin_order }));

test('the first pin leaves gaps on both sides', () => {
  expect(planPin([], 'a', 0)).toEqual(pins(['a', 1000]));
});

test('a new last pin does not change the others', () => {
  expect(planPin(pins(['a', 1000], ['b', 2000]), 'c', 2)).toEqual(pins(['c', 3000]));
});

test('a pin between two gets a number between theirs', () => {
  expect(planPin(pins(['a', 1000], ['b', 2000]), 'c', 1)).toEqual(pins(['c', 1500]));
  expect(planPin(pins(['a', 1000], ['b', 2000]), 'c', 0)).toEqual(pins(['c', 500]));
});

test('the target index does not count the moved chat', () => {
  expect(planPin(pins(['a', 1000], ['b', 2000], ['c', 3000]), 'c', 0)).toEqual(pins(['c', 500]));
  expect(planPin(pins(['a', 1000], ['b', 2000], ['c', 3000]), 'a', 1)).toEqual(pins(['a', 2500]));
});

test('without a gap, all pins are renumbered, and only changes are sent', () => {
  expect(planPin(pins(['a', 1], ['b', 2]), 'c', 1)).toEqual(
    pins(['a', 1000], ['c', 2000], ['b', 3000]),
  );
  expect(planPin(pins(['a', 1000], ['b', 1000]), 'c', 1)).toEqual(pins(['c', 2000], ['b', 3000]));
});

test('at the server’s maximum, all pins are renumbered', () => {
  expect(planPin(pins(['a', 1_000_000]), 'b', 1)).toEqual(pins(['a', 1000], ['b', 2000]));
});

test('three hundred pins at one place keep their order and range', () => {
  let pinned: { id: string; pin_order: number }[] = [];
  for (let count = 0; count < 300; count += 1) {
    const id = `chat-${count}`;
    const changed = new Map(planPin(pinned, id, 1).map((pin) => [pin.id, pin.pin_order]));
    pinned = [...pinned, { id, pin_order: 0 }]
      .map((pin) => ({ id: pin.id, pin_order: changed.get(pin.id) ?? pin.pin_order }))
      .sort((a, b) => a.pin_order - b.pin_order);
    expect(pinned.findIndex((pin) => pin.id === id)).toBe(Math.min(1, pinned.length - 1));
    expect(new Set(pinned.map(({ pin_order }) => pin_order)).size).toBe(pinned.length);
  }
  expect(pinned.every(({ pin_order }) => pin_order > 0 && pin_order <= 1_000_000)).toBe(true);
});
