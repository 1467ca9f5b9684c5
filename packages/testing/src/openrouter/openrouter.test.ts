import { afterEach, beforeEach, expect, test } from 'vitest';
import { collect } from '../../test/support/collect.ts';
import { modelOf } from '../../test/support/models.ts';
import { post } from '../../test/support/post.ts';
import {
  answer,
  fault,
  type FakeProvider,
  reasoning,
  startFakeProvider,
  text,
  webSearch,
} from '../index.ts';

let provider: FakeProvider;

beforeEach(async () => {
  provider = await startFakeProvider({ api: 'openrouter' });
});
afterEach(() => provider.close());

type Body = Record<string, unknown>;
const USER = { role: 'user', content: 'words' };
const request = (messages: unknown[], more: Body = {}): Body => ({
  model: 'anthropic/claude-sonnet-4.5',
  stream: true,
  messages,
  ...more,
});

test('a stream starts with a comment, names the upstream provider, and ends with the cost', async () => {
  provider.answer(answer([text('Fine.')], { usage: { input: 7, cacheRead: 2, cacheWrite: 1 } }));
  const { body } = await post(provider, request([USER]));
  expect(String(body)).toMatch(/^: OPENROUTER PROCESSING\n\n/);
  expect(String(body)).toContain('"provider":"Anthropic"');
  expect(String(body)).toContain('"cost":');
  provider.answer(answer([text('Fine.')], { usage: { input: 7, cacheRead: 2, cacheWrite: 1 } }));
  const { finish } = await collect(modelOf(provider));
  expect(finish?.usage.inputTokens).toMatchObject({ total: 10, cacheRead: 2, cacheWrite: 1 });
});

test.each([
  ['anthropic/claude-sonnet-4.5', 'reasoning.text', { signature: 'mine' }],
  ['openai/gpt-5', 'reasoning.encrypted', { data: 'sealed' }],
  ['deepseek/deepseek-r1', 'reasoning.text', { text: 'hm' }],
])('the reasoning of %s has a detail of type %s', async (id, type, values) => {
  provider.answer(
    answer([reasoning('hm', { signature: 'mine', encrypted: 'sealed' }), text('So.')]),
  );
  const { of, reasoning: thought } = await collect(modelOf(provider, { id }));
  expect(thought).toBe('hm');
  expect(of('reasoning-end')[0]?.providerMetadata?.['openrouter']).toMatchObject({
    reasoning_details: expect.arrayContaining([expect.objectContaining({ type, ...values })]),
  });
});

test('the results of a search are sources', async () => {
  const results = [{ url: 'https://chatd.example/', title: 'chatd' }];
  provider.answer(answer([webSearch({ query: 'q', results }), text('Found.')]));
  const { of } = await collect(modelOf(provider));
  expect(of('source')).toMatchObject(results);
});

test('an error of the upstream provider in a stream is sent as a chunk', async () => {
  provider.answer(fault.errorEvent({ failure: 'unavailable' }));
  const { error } = await collect(modelOf(provider));
  expect(error).toMatchObject({
    code: 503,
    message: expect.stringContaining('no available model'),
  });
});

const marked = (count: number) =>
  Array.from({ length: count }, () => ({ type: 'text', text: 'a', cache_control: {} }));
const thought = (detail: Body) => ({
  role: 'assistant',
  content: 'So.',
  reasoning_details: [{ type: 'reasoning.text', text: 'hm', ...detail }],
});

const REFUSED: [rule: string, body: Body, message: string][] = [
  [
    'a misspelled parameter',
    request([USER], { tempreature: 1 }),
    "Unknown parameter: 'tempreature'.",
  ],
  ['an unknown effort', request([USER], { reasoning: { effort: 'max' } }), 'reasoning.effort'],
  ['an unknown type of tool', request([USER], { tools: [{ type: 'web_search' }] }), 'tools.0.type'],
  ['five cache marks', request([{ role: 'user', content: marked(5) }]), 'Found 5'],
  ['unsigned thinking', request([USER, thought({}), USER]), 'Field required'],
  [
    'forged thinking',
    request([USER, thought({ signature: 'forged' }), USER]),
    'Invalid `signature`',
  ],
  [
    'arguments that are cut off',
    request([
      USER,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"a' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
    ]),
    'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
  ],
  [
    'two tools with the same name',
    request([USER], {
      tools: Array.from({ length: 2 }, () => ({ type: 'function', function: { name: 'f' } })),
    }),
    'Tool names must be unique.',
  ],
  [
    'an image in a tool message',
    request([
      USER,
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [{ type: 'image_url', image_url: { url: 'data:' } }],
      },
    ]),
    "only allowed for messages with role 'user'",
  ],
];

test.each(REFUSED)('%s is refused', async (_rule, body, message) => {
  expect(await post(provider, body)).toMatchObject({
    status: 400,
    body: { error: { code: 400, message: expect.stringContaining(message) } },
  });
});
