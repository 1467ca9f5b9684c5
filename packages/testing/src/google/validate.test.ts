import type { FakeProvider } from '../index.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pngOf } from '../../test/support/images.ts';
import { post } from '../../test/support/post.ts';
import { answer, startFakeProvider, text } from '../index.ts';

let provider: FakeProvider;

beforeEach(async () => {
  provider = await startFakeProvider({ api: 'google' });
  provider.remember({ signatures: ['signed'] });
  provider.answerWith(() => answer([text('Fine.')]));
});
afterEach(() => provider.close());

type Body = Record<string, unknown>;

const CALL = { functionCall: { name: 'add', args: {} }, thoughtSignature: 'signed' };
const RESPONSE = { functionResponse: { name: 'add', response: { content: 3 } } };
const WORDS = { text: 'words' };

function user(...parts: unknown[]): Body {
  return { role: 'user', parts };
}

function model(...parts: unknown[]): Body {
  return { role: 'model', parts };
}

function request(contents: unknown[], more: Body = {}): Body {
  return { contents, ...more };
}

function tools(declaration: Body): Body {
  return { tools: [{ functionDeclarations: [{ name: 'add', ...declaration }] }] };
}

test('a conversation with signed calls and their responses is accepted', async () => {
  const body = request(
    [
      user(WORDS),
      model({ text: 'hm', thought: true }, CALL, { functionCall: { name: 'sub', args: {} } }),
      user(RESPONSE, { functionResponse: { name: 'sub', response: {} } }),
      model(WORDS, { text: '', thoughtSignature: 'signed' }),
      user(WORDS),
    ],
    { systemInstruction: { parts: [WORDS] }, generationConfig: { temperature: 1 } },
  );
  expect(await post(provider, body)).toMatchObject({ status: 200 });
});

test('a call of an earlier turn or for an older model needs no signature', async () => {
  const unsigned = { functionCall: CALL.functionCall };
  const early = request([user(WORDS), model(unsigned), user(RESPONSE), model(WORDS), user(WORDS)]);
  expect(await post(provider, early)).toMatchObject({ status: 200 });
  const path = '/models/gemini-2.5-flash:streamGenerateContent?alt=sse';
  const old = request([user(WORDS), model(unsigned), user(RESPONSE)]);
  expect(await post(provider, old, { path })).toMatchObject({ status: 200 });
});

const OLDER = '/models/gemini-2.5-flash:streamGenerateContent?alt=sse';
const SEARCH = { googleSearch: {} };
const ADD = { functionDeclarations: [{ name: 'add' }] };
const FILE = { inlineData: { mimeType: 'image/png', data: pngOf(1, 1) } };

test('Gemini 3 combines its own tools with functions on request', async () => {
  const combined = { tools: [SEARCH, ADD], toolConfig: { includeServerSideToolInvocations: true } };
  expect(await post(provider, request([user(WORDS)], combined))).toMatchObject({ status: 200 });
  await post(provider, request([user(WORDS)], { tools: [SEARCH, ADD] }));
  await post(provider, request([user(WORDS)], { tools: [SEARCH, ADD] }), { path: OLDER });
  await post(provider, request([user(WORDS)], combined), { path: OLDER });
  expect(provider.rejected.map(({ message }) => message)).toEqual([
    'Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.',
    'Tool use with function calling is unsupported',
    'Tool call context circulation is not enabled for models/gemini-2.5-flash',
  ]);
});

test('an older model accepts a file next to one response, but not next to two', async () => {
  const one = request([user(WORDS), model(CALL), user(RESPONSE, FILE, WORDS)]);
  expect(await post(provider, one, { path: OLDER })).toMatchObject({ status: 200 });
  expect(await post(provider, one)).toMatchObject({ status: 400 });
  const two = request([user(WORDS), model(CALL, CALL), user(RESPONSE, RESPONSE, FILE)]);
  expect(await post(provider, two, { path: OLDER })).toMatchObject({ status: 400 });
});

test('`parametersJsonSchema` accepts keywords that `parameters` does not', async () => {
  const schema = { type: 'object', properties: { a: { const: 1 } }, additionalProperties: false };
  const body = request([user(WORDS)], tools({ parametersJsonSchema: schema }));
  expect(await post(provider, body)).toMatchObject({ status: 200 });
});

const REFUSED: [rule: string, body: Body, message: string][] = [
  [
    'a misspelled parameter',
    request([user(WORDS)], { tool: [] }),
    'Unknown name "tool": Cannot find field.',
  ],
  [
    'a misspelled setting',
    request([user(WORDS)], { generationConfig: { maxTokens: 1 } }),
    'Unknown name "maxTokens" at \'generation_config\'',
  ],
  [
    'a function name with a blank',
    request([user(WORDS)], tools({ name: 'a b' })),
    'Invalid function name',
  ],
  [
    'a schema whose required is null',
    request([user(WORDS)], tools({ parametersJsonSchema: { type: 'object', required: null } })),
    'function_declarations[0].parameters',
  ],
  [
    'parameters with a keyword of JSON Schema',
    request(
      [user(WORDS)],
      tools({ parameters: { type: 'object', properties: { a: { anyOf: [{ const: 1 }] } } } }),
    ),
    `Unknown name "const" at 'tools[0].function_declarations[0].parameters.properties[0].value.any_of[0]': Cannot find field.`,
  ],
  [
    'parameters with a list of types',
    request(
      [user(WORDS)],
      tools({ parameters: { type: 'object', properties: { a: { type: ['string', 'null'] } } } }),
    ),
    'Proto field is not repeating, cannot start list.',
  ],
  [
    'parameters without properties',
    request([user(WORDS)], tools({ parameters: { type: 'object', properties: {} } })),
    '* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties: should be non-empty for OBJECT type',
  ],
  [
    'parameters with a list without items',
    request(
      [user(WORDS)],
      tools({ parameters: { type: 'object', properties: { a: { type: 'array' } } } }),
    ),
    'parameters.properties[0].value.items: missing field.',
  ],
  [
    'two functions with the same name',
    request([user(WORDS)], { tools: [ADD, ADD] }),
    'Duplicate function declaration found: add',
  ],
  [
    'a request of more than 20 MB',
    request([user({ text: 'x'.repeat(20 * 1024 * 1024) })]),
    'Request payload size exceeds the limit: 20971520 bytes.',
  ],
  [
    'arguments that are text',
    request([user(WORDS), model({ ...CALL, functionCall: { name: 'add', args: 'hello' } })]),
    `Invalid value at 'contents[1].parts[0].function_call.args' (type.googleapis.com/google.protobuf.Struct), "hello"`,
  ],
  [
    'a response that is a list',
    request([user(WORDS), model(CALL), user({ functionResponse: { name: 'add', response: [3] } })]),
    `Unknown name "response" at 'contents[2].parts[0].function_response': Proto field is not repeating, cannot start list.`,
  ],
  [
    'text next to a response',
    request([user(WORDS), model(CALL), user(RESPONSE, WORDS)]),
    'number of function response parts is equal',
  ],
  ['no contents', request([]), 'contents is not specified'],
  [
    'a role that does not exist',
    request([{ role: 'assistant', parts: [WORDS] }]),
    'Please use a valid role: user, model.',
  ],
  [
    'contents without parts',
    request([user(WORDS), model(), user(WORDS)]),
    'contents[1].parts: contents.parts must not be empty',
  ],
  ['blank text', request([user({ text: '' })]), 'empty text parameter'],
  [
    'a blank system instruction',
    request([user(WORDS)], { systemInstruction: { parts: [{ text: ' ' }] } }),
    'empty text parameter',
  ],
  [
    'the model last',
    request([user(WORDS), model(WORDS)]),
    'end with a user role or a function response',
  ],
  [
    'a call that does not follow a user turn',
    request([model(CALL), user(RESPONSE)]),
    'function call turn comes immediately after a user turn',
  ],
  [
    'a response without a call',
    request([user(WORDS), model(WORDS), user(RESPONSE)]),
    'function response turn comes immediately after a function call turn',
  ],
  [
    'a call without a response',
    request([user(WORDS), model(CALL), user(WORDS)]),
    'number of function response parts is equal',
  ],
  [
    'one response too many',
    request([user(WORDS), model(CALL), user(RESPONSE, RESPONSE)]),
    'number of function response parts is equal',
  ],
  [
    'a response to another function',
    request([user(WORDS), model(CALL), user({ functionResponse: { name: 'sub', response: {} } })]),
    'no call of `sub`',
  ],
  [
    'a response to another id',
    request([
      user(WORDS),
      model({ ...CALL, functionCall: { ...CALL.functionCall, id: 'a' } }),
      user({ functionResponse: { ...RESPONSE.functionResponse, id: 'b' } }),
    ]),
    'with id `b`',
  ],
  [
    'a call of this turn without its signature',
    request([user(WORDS), model({ functionCall: CALL.functionCall }), user(RESPONSE)]),
    'missing a thought_signature',
  ],
  [
    'a foreign signature',
    request([user(WORDS), model({ ...CALL, thoughtSignature: 'foreign' }), user(RESPONSE)]),
    'Corrupted thought signature.',
  ],
];

test.each(REFUSED)('%s is refused', async (_rule, body, message) => {
  const response = await post(provider, body);
  expect(response).toMatchObject({
    status: 400,
    body: { error: { code: 400, status: 'INVALID_ARGUMENT' } },
  });
  expect(provider.rejected[0]?.message).toContain(message);
});

test('a streaming request without `alt=sse` is refused', async () => {
  await post(provider, request([user(WORDS)]), { path: '/models/gemini-3:streamGenerateContent' });
  expect(provider.rejected[0]?.message).toContain('?alt=sse');
});

test("a missing key and a wrong key are refused with Google's statuses", async () => {
  await using locked = await startFakeProvider({ api: 'google', key: 'right' });
  await post(locked, request([user(WORDS)]), { headers: {} });
  await post(locked, request([user(WORDS)]), { headers: { 'x-goog-api-key': 'wrong' } });
  expect(locked.rejected.map(({ status, message }) => [status, message])).toEqual([
    [403, expect.stringContaining('unregistered callers')],
    [400, 'API key not valid. Please pass a valid API key.'],
  ]);
});
