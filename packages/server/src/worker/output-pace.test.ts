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

test('users do not slow down each other', () => {
  const pace = new OutputPace(() => 0);
  pace.take('ann', 100 * MIB);
  expect(pace.take('ben', MIB)).toBe(0);
});

test('no wait is longer than 10 seconds', () => {
  const pace = new OutputPace(() => 0);
  expect(pace.take('ann', 100 * MIB)).toBe(10_000);
});

test('a user who was silent has the whole burst again, and no more', () => {
  let now = 0;
  const pace = new OutputPace(() => now);
  pace.take('ann', 4 * MIB);
  now = 3_600_000;
  expect(pace.take('ann', 4 * MIB)).toBe(0);
  expect(pace.take('ann', MIB / 2)).toBe(1000);
});

test('many flooding chats share the rate of their user, and a reader seldom waits', () => {
  const pace = new OutputPace(() => 0);
  pace.take('ann', 4 * MIB);
  const waits = Array.from({ length: 64 }, () => {
    const read = pace.reader('ann');
    return Array.from({ length: 7 }, () => read(10 * 1024)).map((wait) => wait !== undefined);
  });
  expect(waits.flat().filter(Boolean)).toHaveLength(64);
  expect(pace.take('ann', 0)).toBe((64 * 70 * 1000) / 512);
});
