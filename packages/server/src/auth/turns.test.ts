import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('so many are at work at once, and the others follow in order', async () => {
  const turns = new Turns(2);
  const begun: number[] = [];
  const ends = Array.from({ length: 4 }, () => Promise.withResolvers<number>());
  const all = ends.map(({ promise }, index) =>
    turns.take(() => {
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

test('whoever fails makes room, too', async () => {
  const turns = new Turns(1);
  const failed = turns.take(() => Promise.reject(new Error('no')));
  const next = turns.take(() => Promise.resolve('yes'));
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('yes');
  expect(await turns.take(() => Promise.resolve('again'))).toBe('again');
});
