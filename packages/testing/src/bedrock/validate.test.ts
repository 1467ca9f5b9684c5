import type { FakeProvider } from '../index.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pngOf } from '../../test/support/images.ts';
import { post } from '../../test/support/post.ts';
import { answer, reasoning, startFakeProvider, text } from '../index.ts';

let provider: FakeProvider;

beforeEach(async () => {
  provider = await startFakeProvider({ api: 'bedrock' });
  provider.answerWith(() => answer([text('Fine.')]));
});
afterEach(() => provider.close());

type Body = Record<string, unknown>;

const PIXEL = pngOf(1, 1);
const says = (text: string) => ({ text });
const user = (...content: Body[]) => ({ role: 'user', content });
const model = (...content: Body[]) => ({ role: 'assistant', content });
const call = (toolUseId = 'tooluse_1', more: Body = {}) => ({
  toolUse: { toolUseId, name: 'add', input: {}, ...more },
});
const result = (toolUseId = 'tooluse_1', content: Body[] = [says('3')]) => ({
  toolResult: { toolUseId, content },
});
const image = (format: string, bytes: string) => ({ image: { format, source: { bytes } } });
const tools = (spec: Body = {}) => ({
  toolConfig: {
    tools: [{ toolSpec: { name: 'add', inputSchema: { json: { type: 'object' } }, ...spec } }],
  },
});
const POINT = { cachePoint: { type: 'default' } };

test('a conversation with calls, an image in a result, and cache points is accepted', async () => {
  const body = {
    system: [says('Be brief.'), POINT],
    messages: [
      user(says('words'), image('png', PIXEL)),
      model(says('Adding.'), call()),
      user(result('tooluse_1', [says('3'), image('png', PIXEL)]), POINT),
    ],
    inferenceConfig: { maxTokens: 100 },
    ...tools(),
  };
  expect(await post(provider, body)).toMatchObject({ status: 200 });
  expect(provider.rejected).toEqual([]);
});

const chat = (...messages: Body[]): Body => ({ messages, ...tools() });
const words = user(says('words'));

const REFUSED: [rule: string, body: Body, message: string][] = [
  [
    'a misspelled parameter',
    { ...chat(words), inferenceconfig: {} },
    'extraneous key [inferenceconfig]',
  ],
  [
    'a block of two kinds',
    chat(user({ text: 'a', ...POINT })),
    'must set one of the following keys',
  ],
  ['no message', { messages: [] }, 'must start with a user message'],
  [
    'a first message from the assistant',
    chat(model(says('a')), words),
    'must start with a user message',
  ],
  [
    'two messages with the same role',
    chat(words, words),
    'must alternate between user and assistant',
  ],
  [
    'a last message from the assistant',
    chat(words, model(says('a'))),
    'must end with a user message',
  ],
  ['a message without content', chat({ role: 'user', content: [] }), 'messages.0 is empty'],
  ['blank text', chat(user(says(' '))), 'messages.0.content.0 is blank'],
  ['blank instructions', { ...chat(words), system: [says('')] }, 'system.0 is blank'],
  [
    'a tool name with a dot',
    { messages: [words], ...tools({ name: 'a.b' }) },
    'regular expression pattern',
  ],
  [
    'a schema whose required is null',
    { messages: [words], ...tools({ inputSchema: { json: { type: 'object', required: null } } }) },
    'required: null is not of type',
  ],
  [
    'calls without tools',
    { messages: [words, model(call()), user(result())] },
    'The toolConfig field must be defined',
  ],
  [
    'a call without its result',
    chat(words, model(call()), words),
    'Expected toolResult blocks at messages.2.content for the following Ids: tooluse_1',
  ],
  [
    'a result without its call',
    chat(words, model(says('a')), user(result())),
    'exceeds the number of toolUse blocks',
  ],
  [
    'two calls with the same id',
    chat(words, model(call(), call()), user(result())),
    'duplicate Ids: tooluse_1',
  ],
  [
    'arguments that are not an object',
    chat(words, model(call('a', { input: 'x' })), user(result('a'))),
    'Provide a json object',
  ],
  ['a blank result', chat(words, model(call()), user(result('tooluse_1', [says('')]))), 'is blank'],
  [
    'unsigned reasoning',
    chat(words, model({ reasoningContent: { reasoningText: { text: 'hm' } } }), words),
    'thinking.signature: Field required',
  ],
  [
    'an unsupported image format',
    chat(user(image('bmp', PIXEL))),
    'enum value set: [png, jpeg, gif, webp]',
  ],
  [
    'an image whose type is not the declared one',
    chat(user(image('jpeg', PIXEL))),
    'appears to be a image/png image',
  ],
  ['bytes that are not an image', chat(user(image('jpeg', 'AAAA'))), 'Could not process image'],
  [
    'an image of more than 5 MB',
    chat(user(image('png', pngOf(1, 1, 5 * 1024 * 1024 + 4)))),
    'The model returned the following errors: messages.0.content.0.image.source.base64: image exceeds 5 MB maximum',
  ],
  ['an image of more than 8000 pixels', chat(user(image('png', pngOf(1, 8001)))), '8000 pixels'],
  [
    'two tools with the same name',
    {
      messages: [words],
      toolConfig: { tools: [...tools().toolConfig.tools, ...tools().toolConfig.tools] },
    },
    'The tool add is already defined at toolConfig.tools.1.',
  ],
  [
    'a schema with anyOf at the top level',
    { messages: [words], ...tools({ inputSchema: { json: { type: 'object', anyOf: [] } } }) },
    'tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level',
  ],
  [
    'thinking with a forced tool',
    {
      messages: [words],
      toolConfig: { ...tools().toolConfig, toolChoice: { any: {} } },
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 } },
    },
    'Thinking may not be enabled when tool_choice forces tool use.',
  ],
  [
    'a document with a dot in its name',
    chat(user({ document: { format: 'pdf', name: 'a.pdf', source: { bytes: '' } } })),
    'document file name',
  ],
  ['five cache points', chat(user(says('a'), POINT, POINT, POINT, POINT, POINT)), 'Found 5'],
  [
    'a cache point without content before it',
    chat(user(POINT, says('a'))),
    'has nothing before it',
  ],
];

test.each(REFUSED)('%s is refused', async (_rule, body, message) => {
  const response = await post(provider, body);
  expect(response).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining(message) },
  });
});

test('a cache point is refused for a model that does not cache', async () => {
  const body = chat(user(says('a'), POINT));
  const path = '/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse-stream';
  expect(await post(provider, body, { path })).toMatchObject({ status: 403 });
});

test('reasoning is accepted only with its own signature', async () => {
  provider.answer(answer([reasoning('hm', { signature: 'mine' }), text('So.')]));
  await post(provider, chat(words));
  const thought = (text: string, signature: string) =>
    chat(words, model({ reasoningContent: { reasoningText: { text, signature } } }), words);
  expect(await post(provider, thought('hm', 'mine'))).toMatchObject({ status: 200 });
  expect(await post(provider, thought('hm', 'forged'))).toMatchObject({ status: 400 });
  expect(await post(provider, thought('ha', 'mine'))).toMatchObject({ status: 400 });
});
