import type { Json, Message, Part } from '@chatd/protocol';
import { expect, test } from 'vitest';
import { piecesOf } from '../../state/chat/pieces.ts';
import { RowBuilder } from './build-rows.ts';
import type { Row } from './row.ts';

const message = (id: number, role: Message['role'], over: Partial<Message> = {}): Message => ({
  id,
  chat_id: 'c',
  role,
  created_at: `2026-01-0${id < 5 ? 1 : 2}T12:00:00.000Z`,
  content: [{ type: 'text', text: `${role} ${id}` }],
  ...over,
});
const builder = () => new RowBuilder(({ id, content }) => piecesOf(content, `${id}`));
const story = [
  message(1, 'user'),
  message(2, 'assistant', {
    usage: { input_tokens: 10, cache_read_tokens: 90, output_tokens: 5 },
    cost_micros: 100,
    runtime_ms: 1000,
    model_config_id: 'a',
    content: [
      { type: 'text', text: 'I add.' },
      { type: 'tool-call', tool_call_id: 'x', tool_name: 'add', args: {} },
    ],
  }),
  message(3, 'tool', {
    runtime_ms: 500,
    content: [{ type: 'tool-result', tool_call_id: 'x', tool_name: 'add', result: 3 }],
  }),
  message(4, 'assistant', { usage: { output_tokens: 7 }, cost_micros: 50, model_config_id: 'a' }),
  message(5, 'user'),
  message(6, 'assistant', { model_config_id: 'b', cut_off: 'interrupted' }),
];

test('days, messages, calls and turn ends are rows, results are not', () => {
  expect(
    builder()
      .build(story, false)
      .map(({ kind }) => kind),
  ).toEqual([
    'day',
    'user',
    'text',
    'tool',
    'text',
    'turn-end',
    'day',
    'user',
    'text',
    'cut-off',
    'turn-end',
  ]);
});

test('a running turn has no end', () => {
  expect(builder().build(story, true).at(-1)?.kind).toBe('cut-off');
});

test('the end of a turn has its totals and a changed model', () => {
  const ends = builder()
    .build(story, false)
    .flatMap((row) => (row.kind === 'turn-end' ? [row.turn] : []));
  expect(ends[0]).toMatchObject({
    steps: 2,
    inputTokens: 100,
    cachedTokens: 90,
    outputTokens: 12,
    costMicros: 150,
    runtimeMs: 1500,
    modelChanged: false,
    lastMessageId: 4,
  });
  expect(ends[0]?.answer()).toBe('I add.\n\nassistant 4');
  expect(ends[1]).toMatchObject({ modelConfigId: 'b', modelChanged: true, costMicros: undefined });
});

const call = (id: string, tool_name = 'read_file', args: Json = {}): Part => ({
  type: 'tool-call',
  tool_call_id: id,
  tool_name,
  args,
});
const result = (id: string, text: string): Part => ({
  type: 'tool-result',
  tool_call_id: id,
  tool_name: '',
  result: text,
});
const kindsOf = (all: readonly Row[]) =>
  all.map((row) => (row.kind === 'explored' ? row.callIds.join() : row.kind));

test('three or more calls that explore are one row, in finished turns and in the live one', () => {
  const rows = new RowBuilder(
    ({ id, content }) => piecesOf(content, `${id}`),
    (id) => id !== 'failed',
  );
  const first = [
    message(1, 'user'),
    message(2, 'assistant', { content: [call('a'), call('b')] }),
    message(3, 'assistant', { content: [call('c'), call('failed'), call('d')] }),
  ];
  const turn = ['day', 'user', 'a,b,c', 'tool', 'tool'];
  const before = rows.build(first, true);
  expect(kindsOf(before)).toEqual(turn);
  const live: Row = { kind: 'tool', key: 'live', messageId: 9, callId: 'e' };
  expect(kindsOf(rows.withLive([live]))).toEqual([...turn, 'tool']);
  expect(kindsOf(rows.withLive([live, { ...live, key: 'f', callId: 'f' }]))).toEqual([
    ...turn.slice(0, 4),
    'd,e,f',
  ]);
  const after = rows.build([...first, message(4, 'user')], true);
  expect(kindsOf(after)).toEqual([...turn, 'turn-end', 'user']);
  expect(after[2]).toBe(before[2]);
});

test('the end of a turn lists changed files', () => {
  const rows = builder().build(
    [
      message(1, 'user'),
      message(2, 'assistant', {
        content: [
          call('w', 'write_file', { path: 'a.ts', content: 'one\ntwo\n' }),
          call('e', 'edit_files', { files: [{ path: 'a.ts', edits: [] }] }),
          call('x', 'write_file', { path: 'refused', content: '' }),
        ],
      }),
      message(3, 'tool', {
        content: [
          result('w', 'Wrote it'),
          result('e', '--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-two\n+zwei\n'),
          { ...result('x', 'no'), is_error: true } as Part,
        ],
      }),
    ],
    false,
  );
  const end = rows.at(-1);
  expect(end?.kind === 'turn-end' && end.turn.changed()).toEqual([
    { path: 'a.ts', added: 3, removed: 1 },
  ]);
});

test('unchanged rows keep their identity', () => {
  const rows = builder();
  const before = rows.build(story, false);
  const after = rows.build([...story, message(7, 'user')], true);
  expect(after.slice(0, before.length)).toEqual(before);
  before.forEach((row, at) => expect(after[at]).toBe(row));
});

test('rows do not depend on how the messages arrive', () => {
  const at = (count: number) => story.slice(0, count);
  const rows = builder();
  for (let count = 0; count <= story.length; count += 1) {
    for (const running of [true, false]) {
      expect(keysOf(rows.build(at(count), running))).toEqual(
        keysOf(builder().build(at(count), running)),
      );
    }
  }
  // An edit replaces the last message; earlier ones are prepended.
  const edited = [...at(4), message(7, 'user'), message(8, 'assistant')];
  expect(keysOf(rows.build(edited, false))).toEqual(keysOf(builder().build(edited, false)));
  expect(keysOf(rows.build(story.slice(4), false))).toEqual(
    keysOf(builder().build(story.slice(4), false)),
  );
});

test('new messages do not rebuild earlier turns', () => {
  const looked: number[] = [];
  const watched = story.map(
    (one) =>
      new Proxy(one, {
        get(target, name, receiver): unknown {
          looked.push(one.id);
          return Reflect.get(target, name, receiver);
        },
      }),
  );
  const rows = builder();
  rows.build(watched, true);
  looked.length = 0;
  rows.build([...watched, message(7, 'assistant')], true);
  expect(new Set(looked)).toEqual(new Set([5, 6]));
});

const keysOf = (rows: readonly { readonly key: string }[]) => rows.map(({ key }) => key);
