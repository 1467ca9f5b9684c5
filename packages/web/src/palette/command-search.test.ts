import { expect, test } from 'vitest';
import type { Command } from '../state/commands.ts';
import { findCommands } from './command-search.ts';

const command = (title: string, group: Command['group'], words?: string): Command => ({
  id: title,
  title,
  group,
  run: () => undefined,
  ...(words !== undefined && { words }),
});

const offered = [
  command('New chat', 'Chats', 'start create'),
  command('Rename chat', 'This chat', 'title'),
  command('Regenerate title', 'This chat', 'rename title'),
  command('Settings: Workspaces', 'Settings', 'start stop files'),
];

const found = (text: string) =>
  findCommands(offered, text).map(([group, members]) => [group, members.map(({ title }) => title)]);

test('an empty search lists all commands, those of this chat first', () => {
  expect(found('').map(([group]) => group)).toEqual(['This chat', 'Chats', 'Settings']);
});

test('all words must match', () => {
  expect(found('rename chat')).toEqual([['This chat', ['Rename chat']]]);
  expect(found('paraffin')).toEqual([]);
  expect(found('rename paraffin')).toEqual([]);
});

test('title matches rank above other matches', () => {
  expect(found('rename')).toEqual([['This chat', ['Rename chat', 'Regenerate title']]]);
  expect(found('start').map(([group]) => group)).toEqual(['Chats', 'Settings']);
  expect(found('title')).toEqual([['This chat', ['Regenerate title', 'Rename chat']]]);
});
