import { createGateway } from '@ai-sdk/gateway';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { collect } from '../../test/support/collect.ts';
import { modelOf } from '../../test/support/models.ts';
import { pngOf } from '../../test/support/images.ts';
import { post } from '../../test/support/post.ts';
import {
  answer,
  fault,
  type FakeProvider,
  reasoning,
  startFakeProvider,
  text,
  toolCall,
  webSearch,
} from '../index.ts';

let provider: FakeProvider;

beforeEach(async () => {
  provider = await startFakeProvider({ api: 'gateway' });
});
afterEach(() => provider.close());

type Body = Record<string, unknown>;
const part = (type: string, more: Body): Body => ({ type, ...more });
const user = (...content: Body[]): Body => ({ role: 'user', content });
const model = (...content: Body[]): Body => ({ role: 'assistant', content });
const tool = (...content: Body[]): Body => ({ role: 'tool', content });
const says = (said: string) => part('text', { text: said });
const call = (more: Body = {}) =>
  part('tool-call', { toolCallId: 'a', toolName: 'add', input: {}, ...more });
const result = (toolCallId = 'a') =>
  part('tool-result', { toolCallId, toolName: 'add', output: { type: 'text', value: '3' } });
const words = user(says('words'));
const chat = (...prompt: Body[]): Body => ({ prompt });

test.each([
  ['anthropic/claude-sonnet-4.5', 'anthropic', { signature: 'mine' }],
  ['openai/gpt-5', 'openai', { reasoningEncryptedContent: 'sealed' }],
])('the reasoning of %s has the metadata of %s', async (id, vendor, values) => {
  provider.answer(
    answer([reasoning('hm', { signature: 'mine', encrypted: 'sealed' }), text('So.')]),
  );
  const { of } = await collect(modelOf(provider, { id }));
  const said = [...of('reasoning-delta'), ...of('reasoning-end')].map(
    (one) => one.providerMetadata,
  );
  expect(said).toContainEqual({ [vendor]: expect.objectContaining(values) });
});

test('the first call of Gemini has its signature', async () => {
  provider.answer(answer([toolCall('add', {}, { signature: 'mine' }), toolCall('add', {})]));
  const { of } = await collect(modelOf(provider, { id: 'google/gemini-3-pro' }));
  expect(of('tool-call').map((one) => one.providerMetadata)).toEqual([
    { google: { thoughtSignature: 'mine' } },
    undefined,
  ]);
});

test("a vendor's search has a result, or only sources", async () => {
  const search = webSearch({ query: 'q', results: [{ url: 'https://chatd.example/' }] });
  provider.answer(answer([search, text('Found.')]), answer([search, text('Found.')]));
  const claude = await collect(modelOf(provider));
  expect(claude.of('tool-result')).toMatchObject([{ result: [{ type: 'web_search_result' }] }]);
  const gemini = await collect(modelOf(provider, { id: 'google/gemini-3-pro' }));
  expect([gemini.of('tool-result').length, gemini.of('source').length]).toEqual([0, 1]);
});

test('only the right key is accepted', async () => {
  await using locked = await startFakeProvider({ api: 'gateway', key: 'right' });
  locked.answer(answer([text('Fine.')]));
  const open = (apiKey: string) => createGateway({ baseURL: locked.url, apiKey })('openai/gpt-5');
  expect((await collect(open('wrong'))).error).toMatchObject({ statusCode: 401 });
  expect((await collect(open('right'))).text).toBe('Fine.');
});

test('an error in a stream is a stream part', async () => {
  provider.answer(fault.errorEvent({ failure: 'rate-limit' }));
  const { error } = await collect(modelOf(provider));
  expect(error).toMatchObject({ type: 'rate_limit_exceeded' });
});

const PIXEL = pngOf(1, 1);
const image = (mediaType: string, data: unknown) =>
  user(part('file', { mediaType, data: { type: 'data', data } }));

test('a conversation with calls and an image is accepted', async () => {
  provider.answer(answer([text('Fine.')]));
  const body = chat(
    image('image/png', PIXEL),
    model(says('Adding.'), call()),
    tool(result()),
    words,
  );
  expect(await post(provider, body)).toMatchObject({ status: 200 });
});

const executed = { providerExecuted: true };
const thinks = (providerOptions?: Body) =>
  model(part('reasoning', { text: 'hm', providerOptions }), says('So.'));

const ADD = { type: 'function', name: 'add', inputSchema: { type: 'object', properties: {} } };

test.each([
  ['google/gemini-3-pro', [ADD, ADD], 'Duplicate function declaration found: add'],
  [
    'openai/gpt-5',
    [{ ...ADD, inputSchema: { type: 'object', properties: { list: { type: 'array' } } } }],
    "Invalid schema for function 'add': In context=('properties', 'list'), array schema missing items.",
  ],
])("tools for %s are refused with the vendor's message", async (id, tools, message) => {
  const headers = {
    authorization: 'Bearer a key',
    'ai-gateway-auth-method': 'api-key',
    'ai-language-model-specification-version': '4',
    'ai-language-model-id': id,
  };
  await post(provider, { ...chat(words), tools }, { headers });
  expect(provider.rejected.map((one) => one.message)).toEqual([message]);
});

const REFUSED: [rule: string, body: Body, message: string][] = [
  ['a misspelled option', { ...chat(words), maxTokens: 1 }, 'Unrecognized key: "maxTokens"'],
  ['no message', chat(), 'at least one message'],
  [
    'a first message from the assistant',
    chat(model(says('a')), words),
    'first message must use the "user" role',
  ],
  [
    'a last message from the assistant',
    chat(words, model(says('a'))),
    'must end with a user message',
  ],
  ['blank text', chat(user(says(' '))), 'must be non-empty'],
  ['a part of another role', chat(user(call())), 'tool-call is not for this role'],
  ['a call without its result', chat(words, model(call()), words), 'calls without results: a'],
  [
    'a result without its call',
    chat(words, model(says('a')), tool(result())),
    'unexpected or duplicate',
  ],
  [
    'results in two messages',
    chat(words, model(call(), call({ toolCallId: 'b' })), tool(result()), tool(result('b'))),
    'calls without results: b',
  ],
  [
    'arguments that are text',
    chat(words, model(call({ input: '{}' })), tool(result())),
    'valid dictionary',
  ],
  [
    'an id with illegal characters',
    chat(words, model(call({ toolCallId: 'a:b' })), tool(result('a:b'))),
    'toolCallId',
  ],
  [
    'a provider-executed call without its result',
    chat(words, model(call(executed), says('a')), words),
    'belong together',
  ],
  ['unsigned thinking', chat(words, thinks(), words), 'Field required'],
  [
    'forged thinking',
    chat(words, thinks({ anthropic: { signature: 'forged' } }), words),
    'Invalid `signature`',
  ],
  ['a file as bytes', chat(image('image/png', { 0: 1 })), 'expected a string'],
  ['bytes that are not an image', chat(image('image/jpeg', 'AAAA')), 'Could not process image'],
  [
    'an image whose type is not the declared one',
    chat(image('image/jpeg', PIXEL)),
    'appears to be a image/png image',
  ],
  ['an image of 8001 pixels', chat(image('image/png', pngOf(1, 8001))), '8000 pixels'],
  [
    'two tools with the same name',
    { ...chat(words), tools: [ADD, ADD] },
    'tools: Tool names must be unique.',
  ],
  [
    'a schema with anyOf at the top level',
    { ...chat(words), tools: [{ ...ADD, inputSchema: { type: 'object', anyOf: [] } }] },
    'input_schema does not support oneOf, allOf, or anyOf at the top level',
  ],
  [
    'a tool of another vendor',
    { ...chat(words), tools: [{ type: 'provider', id: 'openai.web_search', name: 's', args: {} }] },
    'not supported by this model',
  ],
];

test.each(REFUSED)('%s is refused', async (_rule, body, message) => {
  expect(await post(provider, body)).toMatchObject({
    status: 400,
    body: { error: { type: 'invalid_request_error', message: expect.stringContaining(message) } },
  });
});
