import { expect, test } from 'vitest';
import { uuidv7 } from './uuid.ts';

const FORM = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const later = Date.now() + 60_000;

test('an ID has the format of a UUIDv7', () => {
  for (const now of [0, 1, Date.now(), 2 ** 47]) expect(uuidv7(now)).toMatch(FORM);
});

test('an ID contains its creation time', () => {
  const now = Date.UTC(2026, 10, 15, 12, 30, 15, 250);
  expect(Number.parseInt(uuidv7(now).replace('-', '').slice(0, 12), 16)).toBe(now);
});

test('IDs are in the order of their creation, also in one millisecond', () => {
  const ids = Array.from({ length: 10_000 }, () => uuidv7(later));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
  expect(uuidv7(later + 10) > (ids.at(-1) ?? '')).toBe(true);
});

test('IDs for an earlier time do not change the order of others', () => {
  const now = later + 1000;
  const first = uuidv7(now);
  const earlier = [uuidv7(now - 500), uuidv7(now - 500)];
  const second = uuidv7(now);
  expect([...earlier, first, second].toSorted()).toEqual([...earlier, first, second]);
});
