import { expect, onTestFinished, test, vi } from 'vitest';
import { yieldToEventLoop, isLate } from './yield-to-event-loop.ts';

test('resumes one waiting caller per iteration of the event loop, in order', async () => {
  const order: string[] = [];
  const work = async (name: string) => {
    for (let n = 0; n < 3; n++) {
      await yieldToEventLoop();
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
  // Never two callers in the same iteration.
  expect(order.join('')).not.toMatch(/[abc]\d[abc]\d/);
});

test('can be used again after all callers have resumed', async () => {
  await yieldToEventLoop();
  await yieldToEventLoop();
  await Promise.all([yieldToEventLoop(), yieldToEventLoop()]);
});

test('an iteration of the event loop is late once it has used up its time slice, and the next one is not', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => void vi.restoreAllMocks());
  await new Promise(setImmediate);
  expect(isLate()).toBe(false);
  now += 10;
  expect(isLate()).toBe(true);
  await yieldToEventLoop();
  await new Promise(setImmediate);
  expect(isLate()).toBe(false);
});
