import { expect, test } from 'vitest';
import { IdleTracking } from './idle-tracking.ts';

function watched() {
  const told: boolean[] = [];
  const rest = new IdleTracking(async (resting) => void told.push(resting));
  return { rest, told };
}

test('a runner rests while its only tool waits, and that is told before and after', async () => {
  const { rest, told } = watched();
  await rest.during(() =>
    rest.rest(async () => {
      expect(told).toEqual([true]);
      expect(rest.resting).toBe(true);
    }),
  );
  expect(told).toEqual([true, false]);
});

test('as long as another tool works it does not rest, and does as soon as that has ended', async () => {
  const { rest, told } = watched();
  const work = Promise.withResolvers<void>();
  const wait = Promise.withResolvers<void>();
  const waiting = rest.during(() => rest.rest(() => wait.promise));
  const working = rest.during(() => work.promise);
  await Promise.resolve();
  expect(rest.resting).toBe(false);
  work.resolve();
  await working;
  expect(rest.resting).toBe(true);
  wait.resolve();
  await waiting;
  expect(rest.resting).toBe(false);
  expect(told.at(-1)).toBe(false);
});

test('a wait that fails is over, too', async () => {
  const { rest, told } = watched();
  await expect(
    rest.during(() => rest.rest(() => Promise.reject(new Error('interrupted')))),
  ).rejects.toThrow('interrupted');
  expect(told).toEqual([true, false]);
});
