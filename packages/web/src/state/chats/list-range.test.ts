import { expect, test } from 'vitest';
import { aChat } from '../../../test/support/chat.ts';
import { covers } from './list-range.ts';

const at = (hour: number) => `2026-03-01T${String(hour).padStart(2, '0')}:00:00.000Z`;
const chat = (over = {}) => aChat({ id: 'a', active_at: at(10), ...over });

test('a complete list includes every chat that is neither archived nor a subagent', () => {
  const whole = { first: true, upper: null, lower: null };
  expect(covers(whole, chat())).toBe(true);
  expect(covers(whole, chat({ archived: true }))).toBe(false);
  expect(covers(whole, chat({ parent_chat_id: 'b' }))).toBe(false);
});

test('a page says nothing about chats outside of its range', () => {
  const page = { first: false, upper: at(12), lower: at(8) };
  expect(covers(page, chat())).toBe(true);
  expect(covers(page, chat({ active_at: at(7) }))).toBe(false);
  expect(covers(page, chat({ active_at: at(13) }))).toBe(false);
});

test('a page says nothing about chats with the time of its ends', () => {
  const page = { first: false, upper: at(12), lower: at(8) };
  expect(covers(page, chat({ active_at: at(8) }))).toBe(false);
  expect(covers(page, chat({ active_at: at(12) }))).toBe(false);
});

test('pinned chats are on the first page, whatever their activity', () => {
  const pinned = chat({ pin_order: 1, active_at: at(1) });
  expect(covers({ first: true, upper: null, lower: at(8) }, pinned)).toBe(true);
  expect(covers({ first: false, upper: at(8), lower: null }, pinned)).toBe(false);
});
