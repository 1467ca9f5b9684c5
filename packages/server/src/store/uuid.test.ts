import { expect, onTestFinished, test, vi } from 'vitest';
import { uuidv7, uuidv7At } from './uuid.ts';

const FORM = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

test('an ID has the format of a UUIDv7', () => {
  expect(uuidv7()).toMatch(FORM);
  for (const at of [0, 1, Date.now(), 2 ** 48 - 1]) expect(uuidv7At(at)).toMatch(FORM);
});

test('an ID contains its creation time', () => {
  const at = Date.UTC(2026, 10, 15, 12, 30, 15, 250);
  expect(Number.parseInt(uuidv7At(at).replace('-', '').slice(0, 12), 16)).toBe(at);
});

test('IDs are unique and in the order of their creation, also in one millisecond', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const ids = Array.from({ length: 10_000 }, (_, index) => {
    if (index % 100 === 0) uuidv7At(Date.now() - 1000);
    return uuidv7();
  });
  vi.setSystemTime(Date.now() + 10);
  ids.push(uuidv7());
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
});
