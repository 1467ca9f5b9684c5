import { afterEach, beforeEach, expect, test } from 'vitest';
import { collect } from '../../test/support/collect.ts';
import { modelOf } from '../../test/support/models.ts';
import { post } from '../../test/support/post.ts';
import { answer, type FakeProvider, reasoning, startFakeProvider, text } from '../index.ts';

let provider: FakeProvider;

beforeEach(async () => {
  provider = await startFakeProvider({ api: 'openai-compatible' });
  provider.answerWith(() => answer([reasoning('hm'), text('Fine.')]));
});
afterEach(() => provider.close());

const USER = { role: 'user', content: 'words' };
const SYSTEM = { role: 'system', content: 'Be brief.' };
const request = (...messages: unknown[]) => ({ model: 'm', stream: true, messages });

test('the server requires a key only if it was started with one', async () => {
  expect(await post(provider, request(USER))).toMatchObject({ status: 200 });
  await using locked = await startFakeProvider({ api: 'openai-compatible', key: 'right' });
  expect(await post(locked, request(USER))).toMatchObject({ status: 401 });
});

test('the server sends usage only on request', async () => {
  const { body } = await post(provider, request(USER));
  expect(String(body)).not.toContain('prompt_tokens');
  const { finish, reasoning: thought } = await collect(modelOf(provider));
  expect([finish?.usage.inputTokens.total, thought]).toEqual([10, 'hm']);
});

test('reasoning may be sent back', async () => {
  const said = { role: 'assistant', content: 'Fine.', reasoning_content: 'hm' };
  expect(await post(provider, request(SYSTEM, USER, said, USER))).toMatchObject({ status: 200 });
  await using openai = await startFakeProvider({ api: 'openai-chat' });
  expect(await post(openai, request(USER, said, USER))).toMatchObject({
    status: 400,
    body: { error: { message: "Unknown parameter: 'messages[1].reasoning_content'." } },
  });
});

/** A call and its result. */
const calling = (text: string) => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'add', arguments: text } }],
  },
  { role: 'tool', tool_call_id: 'a', content: '3' },
];

test('a call without arguments is accepted', async () => {
  expect(await post(provider, request(USER, ...calling('')))).toMatchObject({ status: 200 });
});

test.each([
  [
    'a role that templates do not support',
    [{ ...SYSTEM, role: 'developer' }, USER],
    'Unexpected message role',
  ],
  ['instructions in the middle', [USER, SYSTEM, USER], 'must be at the beginning'],
  ['blank text', [{ ...USER, content: ' ' }], 'at least one content element'],
  [
    'reasoning alone',
    [USER, { role: 'assistant', content: null, reasoning_content: 'hm' }, USER],
    'Invalid assistant message: content or tool_calls must be set',
  ],
  [
    'reasoning with blank text',
    [USER, { role: 'assistant', content: '', reasoning_content: 'hm' }, USER],
    'Invalid assistant message: content or tool_calls must be set',
  ],
  ['arguments that are cut off', [USER, ...calling('{"a": 1, "b')], 'item pairs from a mapping'],
  ['arguments that are a JSON string', [USER, ...calling('"{}"')], 'item pairs from a mapping'],
])('%s is refused', async (_rule, messages, message) => {
  expect(await post(provider, request(...messages))).toMatchObject({
    status: 400,
    body: { error: { code: 400, message: expect.stringContaining(message) } },
  });
});
