import { expect, test } from 'vitest';
import { OpenWorkspaces } from './open-workspaces.ts';

test('a workspace is in use while calls run in it, however long they take', () => {
  const open = new OpenWorkspaces();
  const first = open.hold('w');
  const second = open.hold('w');
  expect(open.takeUsed()).toEqual(['w']);
  first();
  first();
  expect(open.takeUsed()).toEqual(['w']);
  second();
  expect(open.takeUsed()).toEqual(['w']);
  expect(open.takeUsed()).toEqual([]);
});
