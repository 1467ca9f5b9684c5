import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pino } from 'pino';
import { GapListeners } from './gap-listeners.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const silent = pino({ level: 'silent' });

test('listeners are notified immediately, then at most once per interval', () => {
  const gaps = new GapListeners(1000, silent);
  let told = 0;
  gaps.add(() => (told += 1));
  gaps.tell();
  expect(told).toBe(1);
  for (let count = 0; count < 50; count += 1) gaps.tell();
  expect(told).toBe(1);
  vi.advanceTimersByTime(1000);
  expect(told).toBe(2);
  vi.advanceTimersByTime(5000);
  expect(told).toBe(2);
  gaps.tell();
  expect(told).toBe(3);
});

test('a listener that throws does not affect others, and a removed listener is not notified', () => {
  const gaps = new GapListeners(1000, silent);
  let told = 0;
  gaps.add(() => {
    throw new Error('broken');
  });
  const remove = gaps.add(() => (told += 1));
  gaps.add(() => (told += 10));
  gaps.tell();
  expect(told).toBe(11);
  remove();
  vi.advanceTimersByTime(1000);
  gaps.tell();
  expect(told).toBe(21);
  gaps.tell();
  gaps.close();
  vi.advanceTimersByTime(5000);
  expect(told).toBe(21);
});
