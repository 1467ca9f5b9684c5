import { type RouteName, routes } from '@chatd/protocol';
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

test('a list of chats costs points only when it searches', () => {
  expect(costOf('listChats', {})).toBeNull();
  expect(costOf('listChats', { q: 'word' })).toEqual({ points: 10, pool: 'query' });
});
