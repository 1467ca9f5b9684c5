import { expect, test } from 'vitest';
import { aChat, chatsById } from '../../../test/support/chat.ts';
import { NO_FILTER } from '../filter.ts';
import { KeptRows } from './kept-rows.ts';
import { rowsOf } from './rows.ts';

const listed = (...chats: readonly ReturnType<typeof aChat>[]) =>
  rowsOf({
    chats: chatsById(...chats),
    today: Date.parse('2026-03-01T00:00:00.000Z'),
    filter: NO_FILTER,
    shows: () => true,
    projects: [],
    openProjects: new Map(),
    horizon: null,
    paging: 'all',
    open: new Map(),
    archived: undefined,
  });
const [one, two] = [aChat({ id: 'one' }), aChat({ id: 'two' })];

test('a change to one chat replaces only its row', () => {
  const { keep } = new KeptRows();
  const before = keep(listed(one, two));
  const after = keep(listed(one, { ...two, status: 'running' }));
  expect(after).not.toBe(before);
  const changed = after.filter((row) => !before.includes(row));
  expect(changed.map(({ key }) => key)).toEqual(['two']);
});

test('an unchanged list keeps its identity', () => {
  const { keep } = new KeptRows();
  expect(keep(listed(one, two))).toBe(keep(listed(one, two)));
});

test('moved rows keep their identity', () => {
  const { keep } = new KeptRows();
  const before = keep(listed(one, two));
  const after = keep(listed({ ...one, active_at: '2026-03-01T11:00:00.000Z' }, two));
  const place = (rows: typeof before) => rows.findIndex(({ key }) => key === 'two');
  expect(after[place(after)]).toBe(before[place(before)]);
});
