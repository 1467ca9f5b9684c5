import { expect, test } from 'vitest';
import { OutputPace } from './output-pace.ts';

const MIB = 1024 ** 2;

test('a burst passes at once, and a flood is read at half a MiB per second', () => {
  let now = 0;
  const pace = new OutputPace(() => now);
  expect(pace.take('ann', 4 * MIB)).toBe(0);
  expect(pace.take('ann', MIB / 4)).toBe(500);
  expect(pace.take('ann', MIB / 4)).toBe(1000);
  now += 1000;
  expect(pace.take('ann', MIB / 8)).toBe(250);
});

test('users do not pay for each other', () => {
  const pace = new OutputPace(() => 0);
  pace.take('ann', 100 * MIB);
  expect(pace.take('ben', MIB)).toBe(0);
});

test('no wait is so long that an interrupt would have to wait for it', () => {
  const pace = new OutputPace(() => 0);
  expect(pace.take('ann', 100 * MIB)).toBe(2000);
});

test('a user who was silent has the whole burst again, and no more', () => {
  let now = 0;
  const pace = new OutputPace(() => now);
  pace.take('ann', 4 * MIB);
  now = 3_600_000;
  expect(pace.take('ann', 4 * MIB)).toBe(0);
  expect(pace.take('ann', MIB / 2)).toBe(1000);
});
