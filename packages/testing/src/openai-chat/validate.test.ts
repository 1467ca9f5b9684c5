import type { FakeProvider } from '../index.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pngOf } from '../../test/support/images.ts';
import { post } from '../../test/support/post.ts';
import { answer, startFakeProvider, text } from '../index.ts';

let provider: FakeProvider;

beforeEach(async () => {
  provider = await startFakeProvider({ api: 'openai-chat' });
  provider.answerWith(() => answer([text('Fine.')]));
});
afterEach(() => provider.close());

type Body = Record<string, unknown>;

const USER = { role: 'user', content: 'words' };
const CALL = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } };
const CALLS = { role: 'assistant', content: null, tool_calls: [CALL] };
const RESULT = { role: 'tool', tool_call_id: 'call_1', content: '' };
const TOOL = {
  type: 'function',
  function: { name: 'add', parameters: { type: 'object', properties: {} } },
};

function tool(definition: Body): Body {
  return { type: 'function', function: { ...TOOL.function, ...definition } };
}

/** Parameters with one property. */
function nested(list: Body) {
  return { parameters: { type: 'object', properties: { list } } };
}

const LARGE = pngOf(1, 1, 12 * 1024 * 1024);

function request(messages: unknown[], more: Body = {}): Body {
  return { model: 'gpt', stream: true, messages, ...more };
}

test('a conversation with calls without text and an empty tool result is accepted', async () => {
  const body = request([{ role: 'system', content: 'Be brief.' }, USER, CALLS, RESULT, USER], {
    tools: [TOOL],
    tool_choice: 'auto',
    stream_options: { include_usage: true },
  });
  expect(await post(provider, body)).toMatchObject({ status: 200 });
});

const REFUSED: [rule: string, body: Body, message: string][] = [
  [
    'a misspelled parameter',
    request([USER], { temprature: 1 }),
    "Unknown parameter: 'temprature'.",
  ],
  ['no model', request([USER], { model: undefined }), 'you must provide a model parameter'],
  [
    'stream options without a stream',
    request([USER], { stream: false, stream_options: {} }),
    "only allowed when 'stream' is enabled",
  ],
  ['an empty list of tools', request([USER], { tools: [] }), "Invalid 'tools': empty array"],
  [
    'a tool choice without tools',
    request([USER], { tool_choice: 'auto' }),
    "only allowed when 'tools' are specified",
  ],
  [
    'a tool name with a dot',
    request([USER], { tools: [tool({ name: 'a.b' })] }),
    "Invalid 'tools[0].function.name': string does not match pattern",
  ],
  [
    'a tool name of 65 letters',
    request([USER], { tools: [tool({ name: 'a'.repeat(65) })] }),
    'string too long',
  ],
  [
    'a schema whose required is null',
    request([USER], { tools: [tool({ parameters: { type: 'object', required: null } })] }),
    "Invalid schema for function 'add'",
  ],
  [
    'a schema that is not an object',
    request([USER], { tools: [tool({ parameters: { type: 'array' } })] }),
    `got 'type: "array"'`,
  ],
  ['no messages', request([]), "Invalid 'messages': empty array"],
  [
    'a role that does not exist',
    request([{ role: 'model', content: 'x' }]),
    "Invalid value: 'model'",
  ],
  [
    'an assistant message with neither text nor calls',
    request([USER, { role: 'assistant', content: null }, USER]),
    'expected a string, got null',
  ],
  [
    'an empty list of content',
    request([{ role: 'user', content: [] }]),
    "Invalid 'messages[0].content': empty array",
  ],
  ['a blank message', request([{ role: 'user', content: ' ' }]), 'at least one content element'],
  [
    'a blank text part',
    request([{ role: 'user', content: [{ type: 'text', text: '' }] }]),
    'at least one content element',
  ],
  [
    'a call with an illegal name',
    request([
      USER,
      { ...CALLS, tool_calls: [{ ...CALL, function: { name: 'a.b', arguments: '' } }] },
      RESULT,
    ]),
    "Invalid 'messages[1].tool_calls[0].function.name'",
  ],
  [
    'a call id of 41 letters',
    request([USER, { ...CALLS, tool_calls: [{ ...CALL, id: 'x'.repeat(41) }] }, RESULT]),
    'maximum length 40',
  ],
  [
    'a call without a result',
    request([USER, CALLS, USER]),
    'did not have response messages: call_1',
  ],
  ['a call in the last message', request([USER, CALLS]), 'did not have response messages: call_1'],
  [
    'a result without a call',
    request([USER, RESULT]),
    "must be a response to a preceeding message with 'tool_calls'",
  ],
  [
    'a result after another message',
    request([USER, CALLS, USER, RESULT]),
    "must be a response to a preceeding message with 'tool_calls'",
  ],
  [
    'two results for one call',
    request([USER, CALLS, RESULT, RESULT]),
    "Duplicate value for 'tool_call_id' of 'call_1', in messages[2] and messages[3].",
  ],
  [
    'arguments that are not a string',
    request([
      USER,
      { ...CALLS, tool_calls: [{ ...CALL, function: { name: 'add', arguments: {} } }] },
      RESULT,
    ]),
    "function.arguments': expected a string, but got an object instead.",
  ],
  [
    'a call without arguments',
    request([USER, { ...CALLS, tool_calls: [{ ...CALL, function: { name: 'add' } }] }, RESULT]),
    "Missing required parameter: 'messages[1].tool_calls[0].function.arguments'.",
  ],
  [
    'an empty list of calls',
    request([USER, { role: 'assistant', content: 'words', tool_calls: [] }, USER]),
    "Invalid 'messages[1].tool_calls': empty array.",
  ],
  [
    'a result without content',
    request([USER, CALLS, { ...RESULT, content: null }]),
    'expected a string, got null',
  ],
  [
    'two tools with the same name',
    request([USER], { tools: [TOOL, TOOL] }),
    'Tool names must be unique.',
  ],
  [
    'a schema with anyOf at the top level',
    request([USER], { tools: [tool({ parameters: { type: 'object', anyOf: [] } })] }),
    "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.",
  ],
  [
    'a schema without properties',
    request([USER], { tools: [tool({ parameters: { type: 'object' } })] }),
    'object schema missing properties.',
  ],
  [
    'a list without items',
    request([USER], { tools: [tool(nested({ type: 'array' }))] }),
    "'list'), array schema missing items.",
  ],
  [
    'a nested list without items',
    request([USER], {
      tools: [tool(nested({ anyOf: [{ type: 'array', items: { type: 'array' } }] }))],
    }),
    "'list', 'anyOf', '0', 'items'), array schema missing items.",
  ],
  [
    'a strict schema that allows other properties',
    request([USER], { tools: [tool({ ...nested({ type: 'string' }), strict: true })] }),
    "'additionalProperties' is required to be supplied and to be false.",
  ],
  [
    'a strict schema with an optional property',
    request([USER], {
      tools: [
        tool({
          parameters: { ...nested({ type: 'string' }).parameters, additionalProperties: false },
          strict: true,
        }),
      ],
    }),
    "including every key in properties. Missing 'list'.",
  ],
  [
    'more than 50 MB of images',
    request([
      {
        role: 'user',
        content: Array.from({ length: 6 }, () => ({
          type: 'image_url',
          image_url: { url: `data:image/png;base64,${LARGE}` },
        })),
      },
    ]),
    'Total image size is 54.0MB, which exceeds the allowed limit of 50.0MB.',
  ],
];

test.each(REFUSED)('%s is refused', async (_rule, body, message) => {
  const response = await post(provider, body);
  expect(response).toMatchObject({
    status: 400,
    body: { error: { type: 'invalid_request_error' } },
  });
  expect(provider.rejected[0]?.message).toMatch(message);
});

test('a missing key and a wrong key are refused', async () => {
  await using locked = await startFakeProvider({ api: 'openai-chat', key: 'right' });
  await post(locked, request([USER]), { headers: {} });
  await post(locked, request([USER]), { headers: { authorization: 'Bearer wrong' } });
  expect(locked.rejected.map(({ status }) => status)).toEqual([401, 401]);
  expect(locked.rejected[1]).toMatchObject({ code: 'invalid_api_key' });
});

test('usage is streamed only on request', async () => {
  const silent = await post(provider, request([USER]));
  const told = await post(provider, request([USER], { stream_options: { include_usage: true } }));
  expect(silent.body).not.toContain('prompt_tokens');
  expect(told.body).toContain('"prompt_tokens":10');
});
