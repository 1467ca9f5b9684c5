import type { Message, Part } from '@chatd/protocol';
import { expect, test } from 'vitest';
import type { EventPayload } from '../stream/plan-events.ts';
import type { ResponseHead } from './response-object.ts';
import { type ResponseEvent, ResponseTurn } from './response-turn.ts';

const CHAT = '01a1dfd2-e67b-72ef-b59a-94ee83195b33';
const HEAD: ResponseHead = {
  ref: { chatId: CHAT, start: { kind: 'message', id: 7 } },
  createdAt: new Date(0),
  model: 'test',
  chat: {
    system_prompt: null,
    labels: {},
    dynamic_tools: [{ name: 'weather', description: '', input_schema: {} }],
    reasoning_effort: null,
  },
};

const text = (said: string): Part => ({ type: 'text', text: said });
const live = (part: Part): EventPayload => ({
  type: 'message_part',
  role: 'assistant',
  part,
  history_version: 1,
  attempt: 1,
  seq: 1,
});
const reset: EventPayload = { type: 'preview_reset' };
const waiting: EventPayload = { type: 'status', status: 'waiting' };
let id = 7;
const message = (role: Message['role'], content: Part[], more = {}): EventPayload => {
  id += 1;
  const created_at = '2026-01-01T00:00:00Z';
  return { type: 'message', message: { id, chat_id: CHAT, role, created_at, content, ...more } };
};

interface Sent extends ResponseEvent {
  readonly sequence_number: number;
}

function run(events: readonly EventPayload[], seen?: number): Sent[] {
  const turn = new ResponseTurn(HEAD, seen);
  return [...turn.start(), ...events.flatMap((event) => turn.take(event))] as Sent[];
}

const types = (sent: readonly Sent[]) => sent.map(({ type }) => type.replace('response.', ''));
const deltas = (sent: readonly Sent[]) =>
  sent.flatMap(({ type, delta }) => (type === 'response.output_text.delta' ? [delta] : []));
const numbers = (sent: readonly Sent[]) => sent.map(({ sequence_number }) => sequence_number);
const isAscending = (all: readonly number[]) =>
  all.every((number, index) => index === 0 || number > (all[index - 1] ?? 0));

const item = (...inner: string[]) => ['output_item.added', ...inner, 'output_item.done'];
const others = (sent: readonly Sent[]) => sent.filter(({ type }) => !type.endsWith('.delta'));

const thought: Part = { type: 'reasoning', text: 'Hm, well.' };
const call: Part = { type: 'tool-call', tool_call_id: 'a', tool_name: 'look', args: { at: 1 } };
const result: Part = { type: 'tool-result', tool_call_id: 'a', tool_name: 'look', result: 'seen' };

/** A turn with a server tool, of two steps. */
const committed = [
  message('assistant', [thought, text('Let me look.'), call]),
  message('tool', [result], { runtime_ms: 1 }),
  message('assistant', [text('It is 🌧️ there.')]),
  waiting,
];
const [step, results, last] = committed as [EventPayload, EventPayload, EventPayload];
const whole = run(committed);

test('a response has the events of OpenAI', () => {
  const part = ['content_part.added', 'output_text.delta', 'output_text.done', 'content_part.done'];
  const summary = 'reasoning_summary';
  expect(types(whole)).toEqual([
    'created',
    'in_progress',
    ...item(
      `${summary}_part.added`,
      `${summary}_text.delta`,
      `${summary}_text.done`,
      `${summary}_part.done`,
    ),
    ...item(...part),
    ...item('mcp_call.completed'),
    ...item(...part),
    'completed',
  ]);
  expect(isAscending(numbers(whole))).toBe(true);
  const { response } = whole.at(-1) as unknown as { response: { output: { type: string }[] } };
  const { output } = response;
  expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'mcp_call', 'message']);
  expect(output[2]).toMatchObject({ name: 'look', arguments: '{"at":1}', output: 'seen' });
});

test('sequence numbers do not depend on how the text is split', () => {
  const letters = Array.from('It is 🌧️ there.').map((letter) => live(text(letter)));
  const divided = run([step, results, ...letters, last, reset, waiting]);
  expect(deltas(divided).slice(1).join('')).toBe('It is 🌧️ there.');
  expect(others(divided)).toEqual(others(whole));
  const number = divided.findLast(({ type }) => type.endsWith('_text.delta'))?.sequence_number;
  expect(number).toBe(whole.findLast(({ type }) => type.endsWith('_text.delta'))?.sequence_number);
});

test('a client resumes after every event, and gets the rest once', () => {
  const letters = Array.from('It is 🌧️ there.').map((letter) => live(text(letter)));
  const all = run([step, results, ...letters, last, reset, waiting]);
  for (const [index, { sequence_number }] of all.entries()) {
    const rest = run(committed, sequence_number);
    const seen = all.slice(0, index + 1);
    expect(deltas([...seen, ...rest]).join('')).toBe(deltas(whole).join(''));
    expect(others([...seen, ...rest])).toEqual(others(whole));
    expect(isAscending(numbers([...seen, ...rest]))).toBe(true);
  }
});

test('a new attempt with the same beginning continues the text', () => {
  const first = ['It is', ' 🌧️'].map((said) => live(text(said)));
  const second = ['It ', 'is 🌧️ ', 'there.'].map((said) => live(text(said)));
  const sent = run([step, results, ...first, reset, ...second, last, reset, waiting]);
  expect(deltas(sent)).toEqual(['Let me look.', 'It is', ' 🌧️', ' ', 'there.']);
  expect(isAscending(numbers(sent))).toBe(true);
  expect(sent.at(-1)).toEqual(whole.at(-1));
});

test('a new attempt with another text is not appended to the old one: the whole item replaces it', () => {
  const first = [live(text('Something quite different, and much longer.'))];
  const second = ['It is', ' 🌧️ there.'].map((said) => live(text(said)));
  const sent = run([step, results, ...first, reset, ...second, last, reset, waiting]);
  expect(deltas(sent).slice(1)).toEqual(['Something quite different, and much longer.']);
  expect(types(sent).slice(-2)).toEqual(['output_item.done', 'completed']);
  expect(sent.at(-2)?.['item']).toMatchObject({ content: [{ text: 'It is 🌧️ there.' }] });
  expect(isAscending(numbers(sent))).toBe(true);

  // The same client, disconnected in the first attempt, on another replica.
  const cut = run([step, results, ...first]);
  for (const after of [...second, last].map((_, index) => [...second, last].slice(index))) {
    const rest = run([step, results, ...after, waiting], cut.at(-1)?.sequence_number);
    expect(deltas(rest)).toEqual([]);
    expect(types(rest).at(-1)).toBe('completed');
    expect(rest.at(-1)?.['response']).toEqual(whole.at(-1)?.['response']);
    expect(isAscending([...numbers(cut), ...numbers(rest)])).toBe(true);
  }
});

test('a call of a client function ends the response, live and later', () => {
  const wanted: Part = {
    type: 'tool-call',
    tool_call_id: 'w',
    tool_name: 'weather',
    args: { city: 'Oslo' },
  };
  const asked = message('assistant', [text('Wait.'), wanted]);
  const awaited = { tool_call_id: 'w', tool_name: 'weather', args: {}, kind: 'dynamic' as const };
  const now = run([asked, { type: 'action_required', tool_calls: [awaited] }]);
  const given: Part = {
    type: 'tool-result',
    tool_call_id: 'w',
    tool_name: 'weather',
    result: 'rain',
  };
  const later = run([asked, message('tool', [given]), last, waiting]);
  expect(now).toEqual(later);
  expect(types(now).slice(-4)).toEqual([
    'function_call_arguments.delta',
    'function_call_arguments.done',
    'output_item.done',
    'completed',
  ]);
  expect(now.at(-2)?.['item']).toMatchObject({ call_id: 'w', arguments: '{"city":"Oslo"}' });
});

test('a call that needs an approval ends the response, live and later', () => {
  const asked = message('assistant', [call]);
  const awaited = { tool_call_id: 'a', tool_name: 'look', args: {}, kind: 'approval' as const };
  const now = run([asked, { type: 'action_required', tool_calls: [awaited] }]);
  const ran = { ...result, started_at: '2026-01-01T00:00:00Z' } as Part;
  const later = run([asked, message('tool', [ran], { runtime_ms: 3 }), last, waiting]);
  expect(now).toEqual(later);
  expect(now.at(-2)?.['item']).toMatchObject({ type: 'mcp_approval_request', id: 'mcpr_a' });
});

test('a response can fail, be cut off, or be canceled', () => {
  const error = { kind: 'rate_limit' as const, message: 'Too many.', retryable: true };
  const failed = run([
    live(text('Half')),
    reset,
    { type: 'status', status: 'error' },
    { type: 'error', error },
  ]);
  expect(failed.at(-1)).toMatchObject({
    type: 'response.failed',
    response: { status: 'failed', output: [], error: { code: 'rate_limit_exceeded' } },
  });
  const end = (cut_off: string) =>
    run([message('assistant', [text('Half')], { cut_off }), waiting]).at(-1)?.['response'];
  expect(end('length')).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
  });
  expect(end('interrupted')).toMatchObject({
    status: 'cancelled',
    output: [{ status: 'incomplete' }],
  });
});

test('the next message ends a response, unless it steers the turn', () => {
  const steering = message('user', [text('Hurry.')], { queued_message_id: 3, steered: true });
  const steered = run([step, results, steering, last, waiting]);
  expect(steered.at(-1)).toMatchObject({
    response: { status: 'completed', output: { length: 4 } },
  });
  // The turn has failed after the results, or was interrupted.
  const next = message('user', [text('Again.')], { queued_message_id: 3 });
  const cut = run([step, results, next, last, waiting]);
  expect(cut.at(-1)).toMatchObject({ response: { status: 'cancelled', output: { length: 3 } } });
});
