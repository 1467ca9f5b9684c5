import type { FakeProvider } from '../index.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pngOf } from '../../test/support/images.ts';
import { post } from '../../test/support/post.ts';
import { answer, startFakeProvider, text, webSearch } from '../index.ts';

let provider: FakeProvider;

beforeEach(async () => {
  provider = await startFakeProvider({ api: 'anthropic' });
  provider.remember({ signatures: ['signed'], sealed: ['sealed'] });
  provider.answerWith(() => answer([text('Fine.')]));
});
afterEach(() => provider.close());

type Body = Record<string, unknown>;

const CALL = { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1 } };
const RESULT = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'one' };
const SEARCH = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
const FOUND = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [
    { type: 'web_search_result', url: 'https://a', title: 'A', encrypted_content: 'sealed' },
  ],
};
const THINKING = { type: 'thinking', thinking: 'hm', signature: 'signed' };
const WORDS = { type: 'text', text: 'words' };
const MARKED = { ...WORDS, cache_control: { type: 'ephemeral' } };
const TOOL = { name: 'add', input_schema: { type: 'object', properties: {} } };

function user(...content: unknown[]): Body {
  return { role: 'user', content };
}

function assistant(...content: unknown[]): Body {
  return { role: 'assistant', content };
}

function request(messages: unknown, more: Body = {}): Body {
  return { model: 'claude', max_tokens: 100, stream: true, messages, ...more };
}

test('a conversation with thinking, tools, a search, and four cache marks is accepted', async () => {
  const body = request(
    [
      user(WORDS),
      assistant(THINKING, WORDS, CALL),
      user(RESULT, MARKED),
      assistant(SEARCH, FOUND, MARKED),
      { role: 'user', content: 'plain text' },
    ],
    { tools: [{ ...TOOL, cache_control: { type: 'ephemeral' } }], system: [MARKED] },
  );
  expect(await post(provider, body)).toMatchObject({ status: 200 });
  expect(provider.rejected).toEqual([]);
});

test('two server tool uses may be followed by both results', async () => {
  const second = { ...SEARCH, id: 'srvtoolu_2' };
  const blocks = [SEARCH, second, FOUND, { ...FOUND, tool_use_id: 'srvtoolu_2' }, WORDS];
  const body = request([user(WORDS), assistant(...blocks), user(WORDS)]);
  expect(await post(provider, body)).toMatchObject({ status: 200 });
});

test('a paused turn may be the last message', async () => {
  const body = request([user(WORDS), assistant(WORDS, SEARCH)]);
  expect(await post(provider, body)).toMatchObject({ status: 200 });
});

test('a paused turn is accepted unchanged, and refused without its final search', async () => {
  const results = [{ url: 'https://a', title: 'A', encryptedContent: 'sealed' }];
  const search = webSearch({ query: 'q', id: 'srvtoolu_1', results });
  provider.answer(answer([text('words'), search], { finish: 'pause' }));
  await post(provider, request([user(WORDS)]));
  const unchanged = request([user(WORDS), assistant(WORDS, SEARCH, FOUND)]);
  expect(await post(provider, unchanged)).toMatchObject({ status: 200 });
  await post(provider, request([user(WORDS), assistant(WORDS)]));
  expect(provider.rejected.map(({ message }) => message)).toEqual([
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  ]);
});

function image(data: string, mediaType = 'image/png'): Body {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

function input(schema: Body): Body {
  return { tools: [{ name: 'add', input_schema: { type: 'object', ...schema } }] };
}

test('twenty images may be larger than 2000 pixels', async () => {
  const body = request([user(...Array.from({ length: 20 }, () => image(pngOf(8000, 8000))))]);
  expect(await post(provider, body)).toMatchObject({ status: 200 });
});

test('an image may have 5 MB of base64, and a request 32 MB', async () => {
  const large = image(pngOf(1, 1, 5 * 1024 * 1024));
  expect(await post(provider, request([user(large)]))).toMatchObject({ status: 200 });
  const body = request([user(...Array.from({ length: 7 }, () => large))]);
  expect(await post(provider, body)).toMatchObject({
    status: 413,
    body: { error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } },
  });
});

const REFUSED: [rule: string, body: Body, message: string | RegExp][] = [
  ['a misspelled parameter', request([user(WORDS)], { max_token: 1 }), 'max_token: Extra inputs'],
  ['no model', request([user(WORDS)], { model: undefined }), 'model: Field required'],
  [
    'no max_tokens',
    request([user(WORDS)], { max_tokens: undefined }),
    'max_tokens: Field required',
  ],
  ['no messages field', request(undefined), 'messages: Field required'],
  ['max_tokens of 0', request([user(WORDS)], { max_tokens: 0 }), 'max_tokens: Input should'],
  [
    'a thinking budget as large as the whole answer',
    request([user(WORDS)], { thinking: { type: 'enabled', budget_tokens: 100 } }),
    '`max_tokens` must be greater than `thinking.budget_tokens`',
  ],
  [
    'five cache marks',
    request([user(MARKED, MARKED, MARKED, MARKED)], { system: [MARKED] }),
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  ],
  [
    'a tool name with a dot',
    request([user(WORDS)], { tools: [{ ...TOOL, name: 'a.b' }] }),
    /tools\.0\.custom\.name/,
  ],
  [
    'two tools with the same name',
    request([user(WORDS)], { tools: [TOOL, TOOL] }),
    'Tool names must be unique',
  ],
  [
    'a tool without a schema',
    request([user(WORDS)], { tools: [{ name: 'add' }] }),
    'input_schema: Field required',
  ],
  [
    'a schema that is not an object',
    request([user(WORDS)], { tools: [{ name: 'add', input_schema: { type: 'string' } }] }),
    "input_schema.type: Input should be 'object'",
  ],
  [
    'a schema whose required is null',
    request([user(WORDS)], {
      tools: [{ name: 'add', input_schema: { type: 'object', required: null } }],
    }),
    'JSON schema is invalid',
  ],
  [
    'a nested schema whose required is null',
    request([user(WORDS)], {
      tools: [
        {
          name: 'add',
          input_schema: { type: 'object', properties: { a: { type: 'object', required: null } } },
        },
      ],
    }),
    'JSON schema is invalid',
  ],
  [
    'a choice of an unknown tool',
    request([user(WORDS)], { tools: [TOOL], tool_choice: { type: 'tool', name: 'sub' } }),
    "Tool 'sub' not found",
  ],
  ...['oneOf', 'allOf', 'anyOf'].map((keyword): [string, Body, string] => [
    `a schema with ${keyword} at the top level`,
    request([user(WORDS)], input({ [keyword]: [{ type: 'object' }] })),
    'tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level',
  ]),
  ...[{ type: 'any' }, { type: 'tool', name: 'add' }].map((choice): [string, Body, string] => [
    `thinking with the tool choice ${choice.type}`,
    request([user(WORDS)], { tools: [TOOL], tool_choice: choice, thinking: { type: 'adaptive' } }),
    'Thinking may not be enabled when tool_choice forces tool use.',
  ]),
  [
    'more output tokens than the model supports',
    request([user(WORDS)], { model: 'claude-haiku-4-5-20251001', max_tokens: 64_001 }),
    'max_tokens: 64001 > 64000, which is the maximum allowed number of output tokens for claude-haiku-4-5-20251001',
  ],
  [
    'an image of more than 5 MB',
    request([user(image(pngOf(1, 1, 5 * 1024 * 1024 + 4)))]),
    'messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 5242884 bytes > 5242880 bytes',
  ],
  [
    'an image in a result whose type is not the declared one',
    request([
      user(WORDS),
      assistant(CALL),
      user({ ...RESULT, content: [WORDS, image(pngOf(1, 1), 'image/jpeg')] }),
    ]),
    'messages.2.content.0.tool_result.content.1.image.source.base64: The image was specified using the image/jpeg media type, but the image appears to be a image/png image',
  ],
  [
    'bytes that are not an image',
    request([user(image(Buffer.from('words').toString('base64')))]),
    'Could not process image',
  ],
  [
    'an image of more than 8000 pixels',
    request([user(image(pngOf(8001, 1)))]),
    'messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
  ],
  [
    'an image of more than 2000 pixels among more than twenty',
    request([user(...Array.from({ length: 20 }, () => image(pngOf(1, 1))), image(pngOf(1, 2001)))]),
    'messages.0.content.20.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
  ],
  ['no messages', request([]), 'at least one message is required'],
  [
    'a role that does not exist',
    request([{ role: 'tool', content: 'x' }]),
    "messages.0.role: Input should be 'user' or 'assistant'",
  ],
  [
    'a system message among the others',
    request([user(WORDS), { role: 'system', content: 'x' }]),
    'Unexpected role "system"',
  ],
  [
    'a first message from the assistant',
    request([assistant(WORDS), user(WORDS)]),
    'first message must use the "user" role',
  ],
  [
    'a last message from the assistant',
    request([user(WORDS), assistant(WORDS)]),
    'must end with a user message',
  ],
  [
    'a message without content',
    request([user(WORDS), assistant(), user(WORDS)]),
    'messages.1: all messages must have non-empty content',
  ],
  [
    'empty text',
    request([user({ type: 'text', text: '' })]),
    'text content blocks must be non-empty',
  ],
  [
    'blank text',
    request([user({ type: 'text', text: ' \n' })]),
    'must contain non-whitespace text',
  ],
  [
    'an empty system prompt',
    request([user(WORDS)], { system: [{ type: 'text', text: '' }] }),
    'must be non-empty',
  ],
  [
    'empty text inside a result',
    request([
      user(WORDS),
      assistant(CALL),
      user({ ...RESULT, content: [{ type: 'text', text: '' }] }),
    ]),
    'must be non-empty',
  ],
  [
    'a call by the user',
    request([user(CALL)]),
    '`tool_use` blocks can only be in `assistant` messages',
  ],
  [
    'an illegal call id',
    request([user(WORDS), assistant({ ...CALL, id: 'a:b' }), user(RESULT)]),
    'tool_use.id: String should match pattern',
  ],
  [
    'a call with an illegal name',
    request([user(WORDS), assistant({ ...CALL, name: 'a.b' }), user(RESULT)]),
    'tool_use.name: String should match pattern',
  ],
  [
    'two calls with the same id',
    request([user(WORDS), assistant(CALL, CALL), user(RESULT)]),
    '`tool_use` ids must be unique',
  ],
  [
    'arguments that are not an object',
    request([user(WORDS), assistant({ ...CALL, input: '{}' }), user(RESULT)]),
    'Input should be a valid dictionary',
  ],
  [
    'a call without a result',
    request([user(WORDS), assistant(CALL), user(WORDS)]),
    '`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1',
  ],
  [
    'a call in the last message',
    request([user(WORDS), assistant(CALL)]),
    /must end with a user message|without `tool_result`/,
  ],
  [
    'a result without a call',
    request([user(WORDS), assistant(WORDS), user(RESULT)]),
    'unexpected `tool_use_id` found in `tool_result` blocks: toolu_1',
  ],
  [
    'a result one message late',
    request([user(WORDS), assistant(CALL), user({ ...RESULT }), assistant(WORDS), user(RESULT)]),
    'messages.4.content.0: unexpected `tool_use_id`',
  ],
  [
    'two results for one call',
    request([user(WORDS), assistant(CALL), user(RESULT, RESULT)]),
    'Found multiple `tool_result` blocks with id: toolu_1',
  ],
  [
    'text before a result',
    request([user(WORDS), assistant(CALL), user(WORDS, RESULT)]),
    '`tool_result` blocks must come before',
  ],
  [
    'a server tool use without its result',
    request([user(WORDS), assistant(SEARCH, WORDS), user(WORDS)]),
    '`web_search` tool use with id `srvtoolu_1` was found without',
  ],
  [
    'text between a server tool use and its result',
    request([user(WORDS), assistant(SEARCH, WORDS, FOUND), user(WORDS)]),
    'was found without a corresponding',
  ],
  [
    'a server tool result before its use',
    request([user(WORDS), assistant(FOUND, WORDS), user(WORDS)]),
    'unexpected `tool_use_id` found in `web_search_tool_result` blocks',
  ],
  [
    'a server tool result from the user',
    request([user(WORDS), assistant(WORDS), user(FOUND)]),
    'unexpected `tool_use_id` found in `web_search_tool_result` blocks',
  ],
  [
    'a search result with modified encrypted content',
    request([
      user(WORDS),
      assistant(
        SEARCH,
        { ...FOUND, content: [{ type: 'web_search_result', encrypted_content: 'forged' }] },
        WORDS,
      ),
      user(WORDS),
    ]),
    'Invalid `encrypted_content`',
  ],
  [
    'thinking without a signature',
    request([user(WORDS), assistant({ ...THINKING, signature: undefined }, WORDS), user(WORDS)]),
    'thinking.signature: Field required',
  ],
  [
    'thinking with a foreign signature',
    request([user(WORDS), assistant({ ...THINKING, signature: 'foreign' }, WORDS), user(WORDS)]),
    'Invalid `signature` in `thinking` block',
  ],
  [
    'redacted thinking that was never sent',
    request([
      user(WORDS),
      assistant({ type: 'redacted_thinking', data: 'forged' }, WORDS),
      user(WORDS),
    ]),
    'Invalid `data` in `redacted_thinking` block',
  ],
  [
    'a cache mark on thinking',
    request([
      user(WORDS),
      assistant({ ...THINKING, cache_control: { type: 'ephemeral' } }, WORDS),
      user(WORDS),
    ]),
    'thinking.cache_control: Extra inputs are not permitted',
  ],
];

test.each(REFUSED)('%s is refused', async (_rule, body, message) => {
  const response = await post(provider, body);
  expect(response).toMatchObject({
    status: 400,
    body: { type: 'error', error: { type: 'invalid_request_error' } },
  });
  expect(provider.rejected[0]?.message).toMatch(message);
});

test('modified thinking is refused', async () => {
  const { reasoning } = await import('../index.ts');
  provider.answer(answer([reasoning('as it was', { signature: 'of this text' }), text('Fine.')]));
  await post(provider, request([user(WORDS)]));
  const changed = { type: 'thinking', thinking: 'as it is now', signature: 'of this text' };
  await post(provider, request([user(WORDS), assistant(changed, WORDS), user(WORDS)]));
  expect(provider.rejected[0]?.message).toMatch('cannot be modified');
});

test('a system message among the others is accepted with the beta that allows it', async () => {
  const body = request([user(WORDS), { role: 'system', content: 'Be brief.' }]);
  const headers = {
    'x-api-key': 'a key',
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'mid-conversation-system-2026-04-07',
  };
  expect(await post(provider, body, { headers })).toMatchObject({ status: 200 });
});

test('a missing key, a wrong key, and a missing version are refused', async () => {
  await using locked = await startFakeProvider({ api: 'anthropic', key: 'right' });
  const body = request([user(WORDS)]);
  const version = { 'anthropic-version': '2023-06-01' };
  const tries = [version, { ...version, 'x-api-key': 'wrong' }, { 'x-api-key': 'right' }];
  for (const headers of tries) await post(locked, body, { headers });
  expect(locked.rejected.map(({ status, message }) => [status, message])).toEqual([
    [401, 'x-api-key header is required'],
    [401, 'invalid x-api-key'],
    [400, 'anthropic-version: header is required'],
  ]);
});
