import { expect, test } from 'vitest';
import { IdleTracking } from './idle-tracking.ts';

function watched() {
  const told: boolean[] = [];
  const rest = new IdleTracking(async (resting) => void told.push(resting));
  return { rest, told };
}

test('a runner is idle while its only tool waits, which is reported before and after', async () => {
  const { rest, told } = watched();
  await rest.during(() =>
    rest.rest(async () => {
      expect(told).toEqual([true]);
      expect(rest.resting).toBe(true);
    }),
  );
  expect(told).toEqual([true, false]);
});

test('a runner is not idle while another tool works, and is idle as soon as that tool has ended', async () => {
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

test('a failed wait ends the idle time, too', async () => {
  const { rest, told } = watched();
  await expect(
    rest.during(() => rest.rest(() => Promise.reject(new Error('interrupted')))),
  ).rejects.toThrow('interrupted');
  expect(told).toEqual([true, false]);
});
