import { expect, test } from 'vitest';
import { aChat, chatsById } from '../../../test/support/chat.ts';
import { NO_FILTER } from '../filter.ts';
import { dropOn } from '../pin-drop.ts';
import { rowKeyOf } from './row-keys.ts';
import { type ChatRow, rowsOf } from './rows.ts';

const rows = rowsOf({
  chats: chatsById(
    aChat({ id: 'p1', pin_order: 1 }),
    aChat({ id: 'p2', pin_order: 2 }),
    aChat({ id: 'a', active_at: '2026-03-01T12:00:00.000Z' }),
    aChat({ id: 'agent', parent_chat_id: 'a' }),
    aChat({ id: 'b', active_at: '2026-03-01T11:00:00.000Z' }),
  ),
  today: 0,
  horizon: null,
  paging: 'all',
  filter: NO_FILTER,
  shows: () => true,
  projects: [],
  openProjects: new Map(),
  open: new Map([['a', 'all']]),
  archived: undefined,
});
const row = (key: string) => rows.find((candidate) => candidate.key === key)!;
const press = (key: string, on: string, held: object = {}) =>
  rowKeyOf(
    { key, altKey: false, shiftKey: false, ctrlKey: false, metaKey: false, ...held },
    row(on),
    rows,
  );

test('arrows move between chats, skip static headings and stop at the ends', () => {
  expect(press('ArrowDown', 'p2')).toEqual({ do: 'go', to: 'a' });
  expect(press('ArrowUp', 'a')).toEqual({ do: 'go', to: 'p2' });
  expect(press('ArrowUp', 'p1')).toEqual({ do: 'go', to: 'p1' });
  expect(press('ArrowDown', 'b')).toEqual({ do: 'go', to: 'archived' });
  expect(press('Home', 'b')).toEqual({ do: 'go', to: 'p1' });
  expect(press('End', 'p1')).toEqual({ do: 'go', to: 'archived' });
});

test('left and right collapse, expand, and move between a chat and its subagents', () => {
  expect(press('ArrowRight', 'a')).toEqual({ do: 'go', to: 'agent' });
  expect(press('ArrowLeft', 'agent')).toEqual({ do: 'go', to: 'a' });
  expect(press('ArrowLeft', 'a')).toEqual({ do: 'toggle' });
  expect(press('ArrowRight', 'b')).toBeUndefined();
  expect(press('ArrowRight', 'archived')).toEqual({ do: 'toggle' });
});

test('keys with Ctrl or ⌘ are left to the browser and to commands', () => {
  expect(press('ArrowDown', 'a', { ctrlKey: true })).toBeUndefined();
  expect(press('Delete', 'a', { metaKey: true })).toBeUndefined();
});

test('every row action has a key', () => {
  expect(press('F2', 'a')).toEqual({ do: 'rename' });
  expect(press('Delete', 'a')).toEqual({ do: 'delete' });
  expect(press('F10', 'a', { shiftKey: true })).toEqual({ do: 'menu' });
  expect(press('ContextMenu', 'a')).toEqual({ do: 'menu' });
  expect(press('ArrowUp', 'p2', { altKey: true })).toEqual({ do: 'move', by: -1 });
  expect(press('Delete', 'archived')).toBeUndefined();
});

test('a drop is placed before or after the pinned chat below it', () => {
  const dragged = row('b') as ChatRow;
  expect(dropOn(rows, dragged, row('p1'), false)).toMatchObject({ to: 'pin', place: 0 });
  expect(dropOn(rows, dragged, row('p1'), true)).toMatchObject({ to: 'pin', place: 1 });
  expect(dropOn(rows, dragged, row('p2'), true)).toMatchObject({ to: 'pin', place: 2 });
  expect(dropOn(rows, dragged, row('a'), true)).toBeUndefined();
});

test('a pinned chat is not counted in its own target order, and dropping it elsewhere unpins it', () => {
  const dragged = row('p1') as ChatRow;
  expect(dropOn(rows, dragged, row('p2'), true)).toMatchObject({ to: 'pin', place: 1 });
  expect(dropOn(rows, dragged, row('p1'), true)).toBeUndefined();
  expect(dropOn(rows, dragged, row('b'), false)).toEqual({ to: 'unpin' });
});
