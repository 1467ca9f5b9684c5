import { FILE_BYTES_LIMIT, type RouteName, routes } from '@chatd/protocol';
import { expect, test } from 'vitest';
import { costOf, hasCost, ROUTE_COSTS } from './route-costs.ts';

test('every route has an entry, and every entry a route', () => {
  expect(Object.keys(ROUTE_COSTS).sort()).toEqual(Object.keys(routes).sort());
});

test('search, export, usage, files, uploads and sign-in are limited', () => {
  const expensive: RouteName[] = [
    'listChats',
    'searchWorkspaceFiles',
    'exportChat',
    'getUsage',
    'getFile',
    'uploadFile',
    'signIn',
  ];
  expect(expensive.filter((name) => !hasCost(name))).toEqual([]);
});

test('a list of chats costs points only when it searches or filters', () => {
  expect(costOf('listChats', { query: {}, exchange: {} })).toBeNull();
  const filter = { query: { label: 'name:value' }, exchange: {} };
  expect(costOf('listChats', filter)).toEqual({ points: 1, pool: 'query' });
  const search = { query: { q: 'word' }, exchange: {} };
  expect(costOf('listChats', search)).toEqual({ points: 20, pool: 'query' });
});

const uploadPoints = (contentLength?: number) =>
  costOf('uploadFile', { query: {}, exchange: { contentLength } })?.points;

test('an upload costs more for each MiB, and the maximum if its size is unknown', () => {
  expect(uploadPoints(100)).toBe(10);
  expect(uploadPoints(4 * 1024 ** 2)).toBe(25);
  expect(uploadPoints()).toBe(uploadPoints(FILE_BYTES_LIMIT));
});
