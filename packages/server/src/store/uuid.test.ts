import { expect, test } from 'vitest';
import { uuidv7 } from './uuid.ts';

const FORM = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

test('an ID has the format of a UUIDv7', () => {
  for (const now of [0, 1, Date.now(), 2 ** 48 - 1]) expect(uuidv7(now)).toMatch(FORM);
});

test('an ID contains its creation time', () => {
  const now = Date.UTC(2026, 10, 15, 12, 30, 15, 250);
  expect(Number.parseInt(uuidv7(now).replace('-', '').slice(0, 12), 16)).toBe(now);
});

test('later IDs sort after earlier ones, and IDs of the same millisecond are unique', () => {
  expect(uuidv7(1000) < uuidv7(1001)).toBe(true);
  expect(new Set(Array.from({ length: 1000 }, () => uuidv7(1000))).size).toBe(1000);
});
