import { expect, test } from 'vitest';
import { estimate } from '../../../../faults/duration.ts';
import { inParallel } from '../../../../faults/in-parallel.ts';

const task = (seconds: number, isAlone = false) => ({ seconds, isAlone });
const TASKS = [task(10), task(40, true), task(30), task(20), task(50, true)];

test('rows run longest first, as many at a time as there are jobs, and some alone at the end', async () => {
  const running = new Map<number, () => void>();
  const done = inParallel(TASKS, 2, ({ seconds }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    running.set(seconds, resolve);
    return promise;
  });
  const finish = async (seconds: number) => {
    running.get(seconds)?.();
    running.delete(seconds);
    await new Promise(setImmediate);
    return [...running.keys()];
  };
  expect([...running.keys()]).toEqual([30, 20]);
  expect(await finish(30)).toEqual([20, 10]);
  expect(await finish(10)).toEqual([20]);
  expect(await finish(20)).toEqual([50]);
  expect(await finish(50)).toEqual([40]);
  expect(await finish(40)).toEqual([]);
  await done;
});

test('the estimate divides the duration among the jobs, except for rows that run alone', () => {
  expect(estimate(TASKS, 1)).toBe('3 min');
  expect(estimate([task(120), task(120), task(60, true)], 2)).toBe('3 min');
});
