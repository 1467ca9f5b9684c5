import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DeltaMerger } from './delta-merger.ts';

type Json = Record<string, unknown>;

const eventsIn = (text: string): Json[] =>
  text
    .split(/\r?\n\r?\n/)
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)) as Json);

const sse = (events: readonly Json[], separator = '\n\n') =>
  events.map((event) => `event: x\ndata: ${JSON.stringify(event)}${separator}`).join('');

const count = (all: Json[], event: Json) =>
  all.filter((e) => JSON.stringify(e) === JSON.stringify(event)).length;

/** What has a meaning in JSON or in an event stream, and what takes more than one byte. */
const piece = fc.string({
  unit: fc.constantFrom(
    'a',
    ' ',
    '"',
    '\\',
    '\n',
    '\r',
    '\0',
    '}',
    ']',
    'é',
    '€',
    '😀',
    '\ud83d',
    '\ude00',
  ),
  maxLength: 8,
});

interface Dialect {
  name: string;
  delta(text: string, n: number): Json;
  other: Json;
  /** The texts of an event, joined over all events, must stay the same. */
  texts(event: Json): string;
}

const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce(
    (inner: unknown, key) => (inner as Record<string | number, unknown> | undefined)?.[key],
    value,
  );
const str = (value: unknown) => (typeof value === 'string' ? value : '');

const anthropic = (type: string, field: string): Dialect => ({
  name: `Anthropic ${type}`,
  delta: (text) => ({ type: 'content_block_delta', index: 0, delta: { type, [field]: text } }),
  other: { type: 'content_block_stop', index: 0 },
  texts: (event) => str(at(event, 'delta', field)),
});

const responses = (type: string): Dialect => ({
  name: `OpenAI ${type}`,
  delta: (delta, n) => ({
    type,
    sequence_number: n,
    item_id: 'i',
    output_index: 0,
    delta,
    logprobs: [],
    obfuscation: 'x'.repeat(n % 5),
  }),
  other: { type: type.replace('.delta', '.done'), item_id: 'i' },
  texts: (event) => (event['type'] === type ? str(event['delta']) : ''),
});

const chat = (wrap: (text: string) => Json, ...path: (string | number)[]): Dialect => ({
  name: `Chat Completions ${path.join('.')}`,
  delta: (text, n) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: n,
    model: 'm',
    choices: [{ index: 0, delta: wrap(text), logprobs: null, finish_reason: null }],
    usage: null,
    obfuscation: 'abc'.slice(n % 3),
  }),
  other: {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
  },
  texts: (event) => str(at(event, 'choices', 0, 'delta', ...path)),
});

const google: Dialect = {
  name: 'Google text',
  delta: (text, n) => ({
    candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0 }],
    usageMetadata: { promptTokenCount: 4, candidatesTokenCount: n },
    modelVersion: 'gemini',
  }),
  other: {
    candidates: [{ content: { parts: [{ text: 'end' }], role: 'model' }, finishReason: 'STOP' }],
  },
  texts: (event) => str(at(event, 'candidates', 0, 'content', 'parts', 0, 'text')),
};

const dialects: Dialect[] = [
  anthropic('text_delta', 'text'),
  anthropic('thinking_delta', 'thinking'),
  anthropic('input_json_delta', 'partial_json'),
  responses('response.output_text.delta'),
  responses('response.function_call_arguments.delta'),
  responses('response.reasoning_summary_text.delta'),
  chat((content) => ({ content }), 'content'),
  chat((reasoning_content) => ({ content: null, reasoning_content }), 'reasoning_content'),
  chat(
    (args) => ({ tool_calls: [{ index: 0, function: { arguments: args } }] }),
    'tool_calls',
    0,
    'function',
    'arguments',
  ),
  google,
];

describe.each(dialects)('$name', (dialect) => {
  const { other } = dialect;
  const delta = (text: string, n: number) => dialect.delta(text, n);
  const texts = (event: Json) => dialect.texts(event);

  test('pieces of one read become one event, and what comes between stays between', () => {
    const pieces = ['a"b', '\\', 'c\n', '}}]', '😀'];
    const events = [...pieces.map((p, n) => delta(p, n)), other, delta('z', 9), delta('!', 10)];
    const out = eventsIn(new DeltaMerger().push(sse(events)));
    expect(out).toHaveLength(3);
    expect(out.map(texts)).toEqual([pieces.join(''), texts(other), 'z!']);
  });

  test('the text is the same to the letter, however the network cuts it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(piece, fc.constant(null)), {
          maxLength: 30,
        }),
        fc.infiniteStream(fc.nat(120)),
        fc.constantFrom('\n\n', '\r\n\r\n'),
        (pieces, cuts, separator) => {
          const events = pieces.map((p, n) => (p === null ? other : delta(p, n)));
          const whole = sse(events, separator);
          const merger = new DeltaMerger();
          let out = '';
          for (let rest = whole; rest !== '';) {
            const size = 1 + (cuts.next().value as number);
            out += merger.push(rest.slice(0, size));
            rest = rest.slice(size);
          }
          out += merger.end();
          const merged = eventsIn(out);
          expect(merged.map(texts).join('')).toBe(events.map(texts).join(''));
          expect(count(merged, other)).toBe(count(events, other));
        },
      ),
      { numRuns: 60 },
    );
  });
});

test('one event alone passes to the byte', () => {
  const event = sse([anthropic('text_delta', 'text').delta('hi', 1)]);
  expect(new DeltaMerger().push(event)).toBe(event);
});

test.each([
  ['another block', { index: 1, delta: { type: 'text_delta', text: 'b' } }],
  ['a signature', { index: 0, delta: { type: 'signature_delta', signature: 'b' } }],
  ['another kind of delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'b' } }],
])('text is not merged with %s', (_, fields) => {
  const events = [
    anthropic('text_delta', 'text').delta('a', 1),
    { type: 'content_block_delta', ...fields },
  ];
  expect(new DeltaMerger().push(sse(events))).toBe(sse(events));
});

const chunk = (delta: Json, ...more: Json[]): Json => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason: null }, ...more],
});
const piecesOf = (...args: string[]) =>
  args.map((text, index) => ({ index, function: { arguments: text } }));

test.each([
  ['reasoning beside an answer', chunk({ content: '', reasoning_content: ' a' })],
  ['another call', chunk({ tool_calls: piecesOf('a', 'b') })],
  ['another choice', chunk({ content: 'a' }, { index: 1, delta: { content: 'b' } })],
  [
    'another part',
    { candidates: [{ content: { parts: [{ text: 'a' }, { text: 'b' }], role: 'model' } }] },
  ],
  [
    'another candidate',
    { candidates: ['a', 'b'].map((text) => ({ content: { parts: [{ text }], role: 'model' } })) },
  ],
])('a second text in the same event is never lost: %s', (_, both) => {
  expect(new DeltaMerger().push(sse([both, both]))).toBe(sse([both, both]));
});

test('the last piece keeps its finish reason and usage', () => {
  const piece = chat((content) => ({ content }), 'content').delta('a', 1);
  const last = structuredClone(piece) as { choices: { finish_reason: string | null }[] };
  last.choices[0]!.finish_reason = 'stop';
  const events = [piece, piece, last as unknown as Json];
  expect(eventsIn(new DeltaMerger().push(sse(events)))).toHaveLength(2);
});

test('what is no event stream passes when it grows too long', () => {
  const merger = new DeltaMerger();
  const text = 'x'.repeat(5 * 1024 * 1024);
  expect(merger.push(text)).toBe(text);
  expect(merger.push('data: a\n\n')).toBe('data: a\n\n');
});

test('a line that never ends is refused before it fills the memory', () => {
  const merger = new DeltaMerger();
  const piece = 'x'.repeat(16 * 1024 * 1024);
  const pushAll = () => {
    for (let count = 0; count < 8; count += 1) merger.push(piece);
  };
  expect(pushAll).toThrow("A line of the provider's response exceeded 96 MiB");
  const lines = new DeltaMerger();
  for (let count = 0; count < 8; count += 1)
    expect(lines.push(`${piece}\n`)).toHaveLength(piece.length + 1);
});
