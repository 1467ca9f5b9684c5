import { expect, test } from 'vitest';
import { Semaphore } from './semaphore.ts';

test('runs a limited number of tasks at a time, the others in order', async () => {
  const semaphore = new Semaphore(2);
  const begun: number[] = [];
  const ends = Array.from({ length: 4 }, () => Promise.withResolvers<number>());
  const all = ends.map(({ promise }, index) =>
    semaphore.run(() => {
      begun.push(index);
      return promise;
    }),
  );
  expect(begun).toEqual([0, 1]);
  ends[1]?.resolve(1);
  await all[1];
  expect(begun).toEqual([0, 1, 2]);
  ends.forEach(({ resolve }, index) => resolve(index));
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3]);
});

test('a failed task frees its permit', async () => {
  const semaphore = new Semaphore(1);
  const failed = semaphore.run(() => Promise.reject(new Error('no')));
  const next = semaphore.run(() => Promise.resolve('yes'));
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('yes');
  expect(await semaphore.run(() => Promise.resolve('again'))).toBe('again');
});
