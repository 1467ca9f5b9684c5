import { expect, test } from 'vitest';
import { count, counted } from './number.ts';
import { clock, dateAndTime, duration, longDay, utcDay } from './time.ts';

test('dates are in English, times have 24 hours', () => {
  const local = new Date(2026, 10, 3, 0, 5).toISOString();
  expect(clock(local)).toBe('00:05');
  expect(dateAndTime(local)).toBe('Nov 3, 2026, 00:05');
  expect(longDay(local)).toBe('Tuesday, November 3, 2026');
  expect(utcDay('2026-11-30T23:59:59.000Z')).toBe('Nov 30, 2026');
});

test('numbers have separators, and a count of one is singular', () => {
  expect(count(1_234_567)).toBe('1,234,567');
  expect(counted(1, 'call')).toBe('1 call');
  expect(counted(1200, 'call')).toBe('1,200 calls');
});

test('durations are rounded before they are split', () => {
  expect(duration(59_700)).toBe('1 min 0 s');
  expect(duration(119_700)).toBe('2 min 0 s');
  expect(duration(3_599_900)).toBe('1 h 0 min');
});
