import type { ChatEvent, Message } from '@chatd/protocol';
import { expect, test } from 'vitest';
import { View } from '../../../../faults/clients/view.ts';

const chat_id = '00000000-0000-7000-8000-000000000003';
const about = { chat_id, cursor: '1' };
const message = (id: number, text: string, role: Message['role'] = 'assistant'): ChatEvent => ({
  ...about,
  type: 'message',
  message: { id, chat_id, role, created_at: '', content: [{ type: 'text', text }] },
});
const part = (seq: number, text: string, over: object = {}): ChatEvent => ({
  ...about,
  type: 'message_part',
  role: 'assistant',
  part: { type: 'text', text },
  history_version: 1,
  attempt: 1,
  seq,
  ...over,
});
const status = (value: 'running' | 'waiting'): ChatEvent => ({
  ...about,
  type: 'status',
  status: value,
});
const reset: ChatEvent = { ...about, type: 'preview_reset' };
const historyReset: ChatEvent = { ...about, type: 'history_reset' };

function seen(...events: ChatEvent[]): string[] {
  const view = new View();
  for (const event of events) view.apply(event, 0);
  return view.violations.map(({ what }) => what);
}

test('the events of a turn are valid', () => {
  expect(
    seen(
      message(1, 'Hi', 'user'),
      status('running'),
      part(1, 'Hel'),
      part(3, 'lo', { from_seq: 2 }),
      message(2, 'Hello'),
      reset,
      status('waiting'),
    ),
  ).toEqual([]);
});

test('the events of an edit during an answer are valid', () => {
  expect(
    seen(
      message(1, 'Hi', 'user'),
      status('running'),
      part(1, 'Hel'),
      historyReset,
      message(1, 'Ho', 'user'),
      reset,
      part(1, 'Ho!', { history_version: 2 }),
      message(2, 'Ho!'),
      reset,
      status('waiting'),
    ),
  ).toEqual([]);
});

test.each([
  ['a repeated message', [message(1, 'a'), message(1, 'a')]],
  ['a message out of order', [message(2, 'a'), message(1, 'b')]],
  ['a repeated part', [part(1, 'a'), part(1, 'a')]],
  ['a gap between parts', [part(1, 'a'), part(3, 'c')]],
  ['a gap before the first part', [part(2, 'b')]],
  ['parts of a new attempt without a reset', [part(1, 'a'), part(1, 'a', { attempt: 2 })]],
  ['a reset without parts', [reset]],
  ['a repeated status', [status('running'), status('running')]],
  [
    'an earlier message after an edit',
    [message(2, 'a'), historyReset, message(2, 'a'), message(1, 'b')],
  ],
  ['an edit without a reset', [part(1, 'a'), historyReset, part(1, 'b', { attempt: 2 })]],
  ['a message that differs from its parts', [part(1, 'a'), message(1, 'b')]],
])('%s is a violation', (_, events) => {
  expect(seen(...events)).toHaveLength(1);
});
