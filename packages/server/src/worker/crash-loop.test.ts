import { expect, test } from 'vitest';
import { deathsOf, sortByDeaths } from './crash-loop.ts';

const taken = (id: string, owner_deaths: number) => ({
  id,
  chat: { owner_deaths, deaths_version: 5, history_version: 5 },
});
const ids = (chats: readonly { readonly id: string }[]) => chats.map(({ id }) => id);

test('deaths before the last commit do not count', () => {
  expect(deathsOf({ owner_deaths: 2, deaths_version: 5, history_version: 5 })).toBe(2);
  expect(deathsOf({ owner_deaths: 2, deaths_version: 5, history_version: 6 })).toBe(0);
});

test('chats with one try left run one at a time', () => {
  const all = [taken('new', 0), taken('a', 2), taken('once', 1), taken('b', 2), taken('dead', 3)];
  const { run, setAside, postponed } = sortByDeaths(all, 3, false);
  expect(ids(run)).toEqual(['new', 'a', 'once']);
  expect(ids(postponed)).toEqual(['b']);
  expect(ids(setAside)).toEqual(['dead']);
  expect(ids(sortByDeaths(all, 3, true).run)).toEqual(['new', 'once']);
});

test('a limit of one sets a chat aside after its first death, and new chats run', () => {
  const all = [taken('a', 0), taken('b', 0), taken('c', 1)];
  const { run, setAside } = sortByDeaths(all, 1, true);
  expect(ids(run)).toEqual(['a', 'b']);
  expect(ids(setAside)).toEqual(['c']);
});

test('without a limit all chats run', () => {
  expect(sortByDeaths([taken('a', 1000)], Infinity, true).run).toHaveLength(1);
});
