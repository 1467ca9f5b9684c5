import type { Project } from '@chatd/protocol';
import { expect, test } from 'vitest';
import { aChat, chatsById } from '../../../test/support/chat.ts';
import { matches, NO_FILTER } from '../filter.ts';
import { foundRows, type SidebarContent, type Row, rowsOf } from './rows.ts';

const at = (day: number, hour = 10) => `2026-03-${String(day).padStart(2, '0')}T${hour}:00:00.000Z`;

const listed = (over: Partial<SidebarContent>): SidebarContent => ({
  shows: (chat) => matches(over.filter ?? NO_FILTER, chat),
  chats: new Map(),
  today: Date.parse('2026-03-02T00:00:00.000Z'),
  horizon: null,
  paging: 'all',
  filter: NO_FILTER,
  open: new Map(),
  projects: [],
  openProjects: new Map(),
  archived: undefined,
  ...over,
});

/** One line per row: sections in capitals, subagents indented. */
const picture = (rows: readonly Row[]) =>
  rows.map((row) => {
    switch (row.kind) {
      case 'heading':
        return row.section.toUpperCase();
      case 'project':
        return `[${row.project.name}]${row.asks ? ' asks' : ''}${row.unread ? ' unread' : ''}`;
      case 'chat':
        return '  '.repeat(row.depth) + row.chat.title;
      case 'end':
        return `… ${row.paging}`;
      case 'note':
        return row.text;
    }
  });

test('pinned chats come first in their order, then today, then earlier, newest first', () => {
  const chats = chatsById(
    aChat({ id: 'old', active_at: at(1) }),
    aChat({ id: 'morning', active_at: at(2, 10) }),
    aChat({ id: 'noon', active_at: at(2, 12) }),
    aChat({ id: 'second', pin_order: 2, active_at: at(2) }),
    aChat({ id: 'first', pin_order: 1, active_at: at(1) }),
  );
  expect(picture(rowsOf(listed({ chats })))).toEqual([
    'PINNED',
    'first',
    'second',
    'TODAY',
    'noon',
    'morning',
    'EARLIER',
    'old',
    'ARCHIVED',
  ]);
});

const aProject = (id: string): Project => ({
  id,
  name: id,
  instructions: '',
  model_config_id: null,
  created_at: at(1),
  updated_at: at(1),
});

test('chats of projects are in their folders, unless pinned or filtered', () => {
  const chats = chatsById(
    aChat({ id: 'free', active_at: at(2) }),
    aChat({ id: 'older', active_at: at(1), project_id: 'Shop' }),
    aChat({ id: 'newer', active_at: at(2), project_id: 'Shop' }),
    aChat({ id: 'pinned', pin_order: 1, project_id: 'Shop' }),
    aChat({ id: 'asking', status: 'requires_action', has_unread: true, project_id: 'Garden' }),
    aChat({ id: 'orphan', active_at: at(1), project_id: 'gone' }),
  );
  const projects = [aProject('Garden'), aProject('Shop')];
  const openProjects = new Map([['Shop', 'all' as const]]);
  expect(picture(rowsOf(listed({ chats, projects, openProjects })))).toEqual([
    'PINNED',
    'pinned',
    'PROJECTS',
    '[Garden] asks unread',
    '[Shop]',
    'newer',
    'older',
    'TODAY',
    'free',
    'EARLIER',
    'orphan',
    'ARCHIVED',
  ]);
  const filter = { status: 'waiting' } as const;
  expect(picture(rowsOf(listed({ chats, projects, openProjects, filter })))).not.toContain(
    'PROJECTS',
  );
  expect(picture(rowsOf(listed({ chats, projects: undefined })))).toEqual([
    'PINNED',
    'pinned',
    'TODAY',
    'free',
    'ARCHIVED',
  ]);
});

test('renaming or reading an old chat does not move it', () => {
  const chats = chatsById(
    aChat({ id: 'new', active_at: at(2) }),
    aChat({ id: 'renamed', active_at: at(1), updated_at: at(3) }),
  );
  expect(picture(rowsOf(listed({ chats })))).toEqual([
    'TODAY',
    'new',
    'EARLIER',
    'renamed',
    'ARCHIVED',
  ]);
});

test('chats beyond the loaded range are hidden', () => {
  const chats = chatsById(
    aChat({ id: 'near', active_at: at(2) }),
    aChat({ id: 'opened by a link', active_at: at(1) }),
  );
  const rows = rowsOf(listed({ chats, horizon: at(2), paging: 'more' }));
  expect(picture(rows)).toEqual(['TODAY', 'near', '… more', 'ARCHIVED']);
});

test('archived chats are listed when expanded, with a note when there are none', () => {
  const chats = chatsById(aChat({ id: 'away', archived: true }), aChat({ id: 'here' }));
  expect(picture(rowsOf(listed({ chats })))).not.toContain('away');
  expect(picture(rowsOf(listed({ chats, archived: 'all' }))).slice(-2)).toEqual([
    'ARCHIVED',
    'away',
  ]);
  expect(picture(rowsOf(listed({ archived: 'all' })))).toEqual(['ARCHIVED', 'No archived chats']);
});

test('subagents are nested below their parents', () => {
  const chats = chatsById(
    aChat({ id: 'root' }),
    aChat({ id: 'agent', parent_chat_id: 'root' }),
    aChat({ id: 'deeper', parent_chat_id: 'agent' }),
  );
  expect(picture(rowsOf(listed({ chats })))).toEqual(['EARLIER', 'root', 'ARCHIVED']);
  const open = new Map([
    ['root', 'all'],
    ['agent', 'more'],
  ] as const);
  expect(picture(rowsOf(listed({ chats, open })))).toEqual([
    'EARLIER',
    'root',
    '  agent',
    '    deeper',
    '… more',
    'ARCHIVED',
  ]);
});

test('a collapsed chat shows that a nested subagent needs input', () => {
  const chats = chatsById(
    aChat({ id: 'root' }),
    aChat({ id: 'agent', parent_chat_id: 'root' }),
    aChat({ id: 'deeper', parent_chat_id: 'agent', status: 'requires_action' }),
  );
  const asks = (open: SidebarContent['open']) =>
    rowsOf(listed({ chats, open })).flatMap((row) =>
      row.kind === 'chat' && row.asksBelow ? [row.chat.title] : [],
    );
  expect(asks(new Map())).toEqual(['root']);
  expect(asks(new Map([['root', 'all']]))).toEqual(['agent']);
});

test('a filter keeps the sections', () => {
  const chats = chatsById(
    aChat({ id: 'a', labels: { team: 'ops' } }),
    aChat({ id: 'b', labels: { team: 'web' } }),
    aChat({ id: 'c', labels: { team: 'ops' }, pin_order: 1, status: 'error' }),
  );
  const label = { name: 'team', value: 'ops' };
  expect(picture(rowsOf(listed({ chats, filter: { label } })))).toEqual([
    'PINNED',
    'c',
    'EARLIER',
    'a',
    'ARCHIVED',
  ]);
  expect(picture(rowsOf(listed({ chats, filter: { label, status: 'waiting' } })))).toEqual([
    'EARLIER',
    'a',
    'ARCHIVED',
  ]);
});

const found = (ids: readonly string[]) => ({ ids, matches: new Map(), ended: true });

test('search results keep the server’s order, and an empty result is reported once it is final', () => {
  const chats = chatsById(aChat({ id: 'a' }), aChat({ id: 'b' }));
  expect(picture(foundRows(chats, found(['b', 'a', 'gone'])))).toEqual(['b', 'a']);
  expect(foundRows(chats, { ...found([]), ended: false })).toEqual([]);
  expect(picture(foundRows(chats, found([])))).toEqual(['No matching chats']);
});
