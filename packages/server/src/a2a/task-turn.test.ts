import type { Message, Part } from '@chatd/protocol';
import { describe, expect, test } from 'vitest';
import type { EventPayload } from '../stream/plan-events.ts';
import type { StreamResponse } from './objects.ts';
import { TaskTurn } from './task-turn.ts';

const CHAT = '0198d7a0-0000-7000-8000-000000000000';

const said = (
  id: number,
  role: Message['role'],
  content: Part[],
  more: object = {},
): EventPayload => ({
  type: 'message',
  message: { id, chat_id: CHAT, role, created_at: '2026-01-01T00:00:00Z', content, ...more },
});
const text = (value: string): Part => ({ type: 'text', text: value });
const live = (part: Part, attempt = 1): EventPayload => ({
  type: 'message_part',
  role: 'assistant',
  part,
  history_version: 1,
  attempt,
  seq: 1,
});
const call: Part = { type: 'tool-call', tool_call_id: 'c', tool_name: 'look', args: {} };
const result = (value: string): Part => ({
  type: 'tool-result',
  tool_call_id: 'c',
  tool_name: 'look',
  result: value,
});
const status = (value: 'running' | 'waiting'): EventPayload => ({ type: 'status', status: value });

const begun = () => {
  const turn = new TaskTurn(CHAT, 'http://chatd', { kind: 'message', id: 5 });
  turn.take(said(5, 'user', [text('Hi')]));
  return turn;
};

/** Updates of artifacts: `+` appends, `=` replaces, `.` ends. */
const sent = (turn: TaskTurn, events: readonly EventPayload[]) =>
  events.flatMap((event) => turn.take(event)).flatMap(artifactOf);
const artifactOf = (update: StreamResponse): string[] => {
  if (!('artifactUpdate' in update)) return [];
  const { artifact, append, lastChunk } = update.artifactUpdate;
  const [{ text: value = '', url = '' }] = artifact.parts;
  return [`${artifact.artifactId}${append ? '+' : '='}${value}${url}${lastChunk ? '.' : ''}`];
};
const texts = (turn: TaskTurn) => turn.task.artifacts.map(({ parts: [part] }) => part.text);

describe('live text', () => {
  test('is sent once, also if the preview ends before the step is committed', () => {
    for (const reset of [[], [{ type: 'preview_reset' } as const]]) {
      const events = [
        live(text('Hel')),
        live(text('lo')),
        ...reset,
        said(6, 'assistant', [text('Hello')]),
      ];
      expect(sent(begun(), events)).toEqual(['1=Hel', '1+lo', '1+.']);
    }
  });

  test('of a new attempt is sent where it differs', () => {
    const failed = [live(text('Hello ')), live(text('you')), { type: 'preview_reset' } as const];
    const same = ['Hel', 'lo you', ' there'].map((part) => live(text(part), 2));
    const turn = begun();
    expect(sent(turn, [...failed, ...same])).toEqual(['1=Hello ', '1+you', '1+ there']);
    expect(sent(turn, [live(text('!'), 2)])).toEqual(['1+!']);
    const other = ['Hello ', 'me'].map((part) => live(text(part), 2));
    expect(sent(begun(), [...failed, ...other])).toEqual(['1=Hello ', '1+you', '1=Hello me']);
  });

  test('of a failed attempt does not remain', () => {
    const turn = begun();
    const events = [
      live(text('One')),
      live(call),
      live(text('Two')),
      { type: 'preview_reset' } as const,
    ];
    sent(turn, events);
    expect(sent(turn, [said(6, 'assistant', [text('Three')])])).toEqual(['1=Three.', '2=.']);
    expect(texts(turn)).toEqual(['Three']);
  });

  test('in a snapshot is not sent again', () => {
    const turn = begun();
    sent(turn, [live(text('Hel'))]);
    expect(turn.snapshot.artifacts).toHaveLength(1);
    expect(sent(turn, [live(text('lo'))])).toEqual(['1+lo']);
  });
});

test('texts between calls, and files, are separate artifacts', () => {
  const file: Part = { type: 'file', file_id: CHAT, media_type: 'image/png' };
  const turn = begun();
  const events = [said(6, 'assistant', [text('a'), text('b'), call, text('c'), file])];
  expect(sent(turn, events)).toEqual(['1=ab.', '2=c.', `3=http://chatd/api/v1/files/${CHAT}.`]);
});

const state = (events: readonly EventPayload[]) => {
  const turn = begun();
  for (const event of events) turn.take(event);
  return turn.task.status.state.replace('TASK_STATE_', '');
};

describe('a task ends', () => {
  const answered = [said(6, 'assistant', [call]), said(7, 'tool', [result('seen')])];
  test.each([
    ['with an answer', [said(6, 'assistant', [text('a')]), status('waiting')], 'COMPLETED'],
    [
      'with the next message',
      [said(6, 'assistant', [text('a')]), said(7, 'user', [])],
      'COMPLETED',
    ],
    [
      'not with a message that steers it',
      [...answered, said(8, 'user', [], { queued_message_id: 3, steered: true })],
      'WORKING',
    ],
    [
      'with a queued message after an error',
      [...answered, said(8, 'user', [], { queued_message_id: 3 })],
      'CANCELED',
    ],
    ['with a message after an error', [...answered, said(8, 'user', [])], 'CANCELED'],
    [
      'with a message after an interrupted call',
      [
        said(6, 'assistant', [call]),
        said(7, 'tool', [result('tool call was interrupted before it produced a result')]),
        said(8, 'user', [], { queued_message_id: 3 }),
      ],
      'CANCELED',
    ],
    ['interrupted after a call', [...answered, status('waiting')], 'CANCELED'],
    [
      'interrupted in an answer',
      [said(6, 'assistant', [text('a')], { cut_off: 'interrupted' }), status('waiting')],
      'CANCELED',
    ],
    [
      'incomplete',
      [said(6, 'assistant', [text('a')], { cut_off: 'length' }), status('waiting')],
      'COMPLETED',
    ],
    ['when the history changes', [{ type: 'history_reset' } as const], 'CANCELED'],
  ])('%s', (_, events, expected) => {
    expect(state(events)).toBe(expected);
  });
});
