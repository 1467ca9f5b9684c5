import type { Message } from '@chatd/protocol';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { upsert, withKept, withOlder } from './history.ts';

const message = (id: number, text = ''): Message => ({
  id,
  chat_id: 'c',
  role: 'user',
  created_at: '2026-01-01T00:00:00.000Z',
  content: [{ type: 'text', text }],
});
const ids = (messages: readonly Message[]) => messages.map(({ id }) => id);

test('messages are ordered and unique, and the last version wins', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 30 })), (arriving) => {
      const messages: Message[] = [];
      arriving.forEach((id, at) => upsert(messages, message(id, `${at}`)));
      expect(ids(messages)).toEqual([...new Set(arriving)].sort((a, b) => a - b));
      for (const { id, content } of messages) {
        expect(content).toEqual([{ type: 'text', text: `${arriving.lastIndexOf(id)}` }]);
      }
    }),
  );
});

test('older messages are prepended without duplicates', () => {
  expect(ids(withOlder([message(5), message(6)], [message(3), message(4), message(5)]))).toEqual([
    3, 4, 5, 6,
  ]);
});

test('an edit keeps earlier messages', () => {
  const before = [1, 2, 3, 4, 5].map((id) => message(id));
  expect(ids(withKept([message(3), message(6)], before))).toEqual([1, 2, 3, 6]);
  expect(withKept([], before)).toEqual([]);
});

test('the newest messages of another version are not joined to messages of this one', () => {
  const before = [1, 2, 8, 9].map((id) => message(id));
  expect(ids(withKept([message(5), message(6)], before))).toEqual([5, 6]);
});
