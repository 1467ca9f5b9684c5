import { expect, onTestFinished, test, vi } from 'vitest';
import { breathe, isLate } from './breathe.ts';

test('of many who wait one goes on in each turn of the event loop, in order', async () => {
  const order: string[] = [];
  const work = async (name: string) => {
    for (let n = 0; n < 3; n++) {
      await breathe();
      order.push(`${name}${n}`);
    }
  };
  const ticks = (async () => {
    for (let n = 0; n < 9; n++) {
      await new Promise(setImmediate);
      order.push('|');
    }
  })();
  await Promise.all([work('a'), work('b'), work('c'), ticks]);
  expect(order.filter((entry) => entry !== '|')).toEqual([
    'a0',
    'b0',
    'c0',
    'a1',
    'b1',
    'c1',
    'a2',
    'b2',
    'c2',
  ]);
  // Never two of them without a turn of the event loop between.
  expect(order.join('')).not.toMatch(/[abc]\d[abc]\d/);
});

test('it can be used again after everyone has gone on', async () => {
  await breathe();
  await breathe();
  await Promise.all([breathe(), breathe()]);
});

test('a turn of the event loop is late once it has worked for a while, and the next one is not', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => void vi.restoreAllMocks());
  await new Promise(setImmediate);
  expect(isLate()).toBe(false);
  now += 10;
  expect(isLate()).toBe(true);
  await breathe();
  await new Promise(setImmediate);
  expect(isLate()).toBe(false);
});
