import type { FakeProvider } from '../index.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { post } from '../../test/support/post.ts';
import { answer, fault, reasoning, startFakeProvider, text, toolCall } from '../index.ts';

let provider: FakeProvider;

beforeEach(async () => {
  provider = await startFakeProvider({ api: 'openai-responses' });
  provider.remember({ sealed: ['sealed'] });
  provider.answerWith(() => answer([text('Fine.')]));
});
afterEach(() => provider.close());

type Body = Record<string, unknown>;

const USER = { role: 'user', content: [{ type: 'input_text', text: 'words' }] };
const SAID = { role: 'assistant', content: [{ type: 'output_text', text: 'words' }] };
const CALL = { type: 'function_call', call_id: 'call_1', name: 'add', arguments: '{}' };
const OUTPUT = { type: 'function_call_output', call_id: 'call_1', output: '' };
const THOUGHT = { type: 'reasoning', id: 'rs_1', encrypted_content: 'sealed', summary: [] };
const TOOL = { type: 'function', name: 'add', parameters: { type: 'object', properties: {} } };

function request(input: unknown, more: Body = {}): Body {
  return { model: 'gpt', stream: true, input, ...more };
}

function reference(id: string): Body {
  return { type: 'item_reference', id };
}

test('a conversation with encrypted reasoning and answered calls is accepted', async () => {
  const body = request([USER, THOUGHT, CALL, OUTPUT, SAID, USER], { store: false, tools: [TOOL] });
  expect(await post(provider, body)).toMatchObject({ status: 200 });
});

const REFUSED: [rule: string, body: Body, message: string][] = [
  [
    'a misspelled parameter',
    request([USER], { max_tokens: 1 }),
    "Unknown parameter: 'max_tokens'.",
  ],
  ['no model', request([USER], { model: undefined }), "Missing required parameter: 'model'."],
  [
    'a tool name with a dot',
    request([USER], { tools: [{ ...TOOL, name: 'a.b' }] }),
    "Invalid 'tools[0].name'",
  ],
  [
    'a schema whose required is null',
    request([USER], { tools: [{ ...TOOL, parameters: { type: 'object', required: null } }] }),
    "Invalid schema for function 'add'",
  ],
  [
    'an unknown previous response',
    request([USER], { previous_response_id: 'resp_x' }),
    "Previous response with id 'resp_x' not found.",
  ],
  [
    'both a chain and a conversation',
    request([USER], { previous_response_id: 'resp_x', conversation: 'c' }),
    'Mutually exclusive parameters',
  ],
  ['no input', request([]), "One of 'input'"],
  [
    'a role that does not exist',
    request([{ role: 'tool', content: 'x' }]),
    "Invalid value: 'tool'",
  ],
  [
    'an empty list of content',
    request([{ role: 'user', content: [] }]),
    "Invalid 'input[0].content': empty array",
  ],
  [
    'a blank message',
    request([{ role: 'assistant', content: '' }, USER]),
    'at least one content element',
  ],
  [
    'a blank text part',
    request([{ role: 'user', content: [{ type: 'input_text', text: ' ' }] }]),
    'at least one content element',
  ],
  [
    'reasoning with modified encrypted content',
    request([USER, { ...THOUGHT, encrypted_content: 'forged' }, SAID, USER]),
    'could not be verified',
  ],
  [
    'the same item twice',
    request([USER, THOUGHT, SAID, THOUGHT, SAID, USER]),
    'Duplicate item found with id rs_1',
  ],
  [
    'reasoning without a following item',
    request([USER, THOUGHT]),
    'without its required following item',
  ],
  [
    'reasoning before a user message',
    request([USER, THOUGHT, USER]),
    'without its required following item',
  ],
  [
    'reasoning before a user message with a type',
    request([USER, THOUGHT, { type: 'message', ...USER }]),
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
  ],
  [
    'reasoning before a developer message',
    request([USER, THOUGHT, { type: 'message', role: 'developer', content: 'words' }, SAID]),
    'without its required following item',
  ],
  [
    'reasoning before an output',
    request([USER, CALL, THOUGHT, OUTPUT]),
    'without its required following item',
  ],
  [
    'an empty assistant message',
    request([USER, { role: 'assistant', content: [] }, USER]),
    "Invalid 'input[1].content': empty array",
  ],
  [
    'a blank assistant message',
    request([USER, { role: 'assistant', content: [{ type: 'output_text', text: '\n' }] }, USER]),
    'at least one content element',
  ],
  [
    'two tools with the same name',
    request([USER], { tools: [TOOL, TOOL] }),
    'Tool names must be unique.',
  ],
  [
    'a list without items',
    request([USER], {
      tools: [{ ...TOOL, parameters: { type: 'object', properties: { list: { type: 'array' } } } }],
    }),
    "Invalid schema for function 'add': In context=('properties', 'list'), array schema missing items.",
  ],
  [
    'arguments that are not a string',
    request([USER, { ...CALL, arguments: {} }, OUTPUT]),
    "Invalid type for 'input[1].arguments': expected a string, but got an object instead.",
  ],
  [
    'a call without an id',
    request([USER, { ...CALL, call_id: undefined }, OUTPUT]),
    "Missing required parameter: 'input[1].call_id'.",
  ],
  [
    'an output without a value',
    request([USER, CALL, { ...OUTPUT, output: undefined }]),
    "Missing required parameter: 'input[2].output'.",
  ],
  [
    'a call with an illegal name',
    request([USER, { ...CALL, name: 'a.b' }, OUTPUT]),
    "Invalid 'input[1].name'",
  ],
  [
    'a call id of 65 letters',
    request([USER, { ...CALL, call_id: 'x'.repeat(65) }, OUTPUT]),
    'maximum length 64',
  ],
  [
    'a call without an output',
    request([USER, CALL, USER]),
    'No tool output found for function call call_1.',
  ],
  [
    'an output without a call',
    request([USER, OUTPUT]),
    'No tool call found for function call output with call_id call_1.',
  ],
  [
    'an output before its call',
    request([USER, OUTPUT, CALL]),
    'No tool call found for function call output with call_id call_1.',
  ],
];

test.each(REFUSED)('%s is refused', async (_rule, body, message) => {
  const response = await post(provider, body);
  expect(response).toMatchObject({
    status: 400,
    body: { error: { type: 'invalid_request_error' } },
  });
  expect(provider.rejected[0]?.message).toContain(message);
});

test('an item that was not stored cannot be referenced', async () => {
  await post(provider, request([USER, reference('msg_x'), USER]));
  await post(
    provider,
    request([USER, { type: 'reasoning', id: 'rs_x', summary: [] }, SAID], { store: false }),
  );
  expect(provider.rejected.map(({ status, message }) => [status, message])).toEqual([
    [404, "Item with id 'msg_x' not found."],
    [404, expect.stringContaining('Items are not persisted when `store` is set to false')],
  ]);
});

test('a request can continue only a stored response', async () => {
  provider.answer(answer([text('A.')], { responseId: 'resp_stored' }));
  provider.answer(answer([text('B.')], { responseId: 'resp_unstored' }));
  await post(provider, request([USER]));
  await post(provider, request([USER], { store: false }));
  await post(provider, request([USER], { previous_response_id: 'resp_stored' }));
  expect(provider.rejected).toEqual([]);
  await post(provider, request([USER], { previous_response_id: 'resp_unstored' }));
  expect(provider.rejected).toMatchObject([{ code: 'previous_response_not_found' }]);
});

test('a response that ends early is not stored', async () => {
  const of = answer([text('Cut.', { chunks: 2 })], { responseId: 'resp_cut' });
  provider.answer(fault.eof({ afterParts: 1, of }));
  await post(provider, request([USER]));
  await post(provider, request([USER], { previous_response_id: 'resp_cut' }));
  expect(provider.rejected).toMatchObject([{ code: 'previous_response_not_found' }]);
});

test('calls of the previous response must be answered, and only those', async () => {
  const calls = answer([toolCall('add', {}, { id: 'call_a' })], { responseId: 'resp_a' });
  provider.answer(calls);
  await post(provider, request([USER]));
  const more = { previous_response_id: 'resp_a' };
  await post(provider, request([USER], more));
  await post(provider, request([{ ...OUTPUT, call_id: 'call_b' }], more));
  expect(provider.rejected.map(({ message }) => message)).toEqual([
    'No tool output found for function call call_a.',
    'No tool call found for function call output with call_id call_b.',
  ]);
  const fine = await post(provider, request([{ ...OUTPUT, call_id: 'call_a' }], more));
  expect(fine.status).toBe(200);
});

test('an item of the previous response must not be sent again', async () => {
  provider.answer(answer([reasoning('hm', { id: 'rs_a' }), text('A.')], { responseId: 'resp_a' }));
  await post(provider, request([USER]));
  const again = request([reference('rs_a'), SAID, USER], { previous_response_id: 'resp_a' });
  await post(provider, again);
  expect(provider.rejected[0]?.message).toContain('Duplicate item found with id rs_a');
});

test('a stored item must not be sent without the reasoning it came from', async () => {
  provider.answer(answer([reasoning('hm', { id: 'rs_a' }), text('A.')]));
  const { body } = await post(provider, request([USER]));
  const [, message] = /"id":"(msg_[^"]+)"/.exec(String(body)) ?? [];
  await post(provider, request([USER, reference(String(message)), USER]));
  expect(provider.rejected[0]?.message).toContain("without its required 'reasoning' item: 'rs_a'");
  const fine = await post(
    provider,
    request([USER, reference('rs_a'), reference(String(message)), USER]),
  );
  expect(fine.status).toBe(200);
});

test('stored reasoning is accepted only before the item that followed it', async () => {
  provider.answer(
    answer([reasoning('hm', { id: 'rs_a' }), toolCall('add', {}, { id: 'call_1' })]),
    answer([reasoning('hm', { id: 'rs_b' }), text('B.')]),
  );
  const bodies = [await post(provider, request([USER])), await post(provider, request([USER]))];
  const [, message] = /"id":"(msg_[^"]+)"/.exec(String(bodies[1]?.body)) ?? [];
  const said = reference(String(message));
  const fine = request([USER, reference('rs_a'), CALL, OUTPUT, reference('rs_b'), said, USER]);
  expect(await post(provider, fine)).toMatchObject({ status: 200 });
  await post(provider, request([USER, reference('rs_b'), SAID, USER]));
  await post(
    provider,
    request([USER, reference('rs_a'), { ...CALL, call_id: 'x' }, { ...OUTPUT, call_id: 'x' }]),
  );
  expect(provider.rejected.map((one) => one.message)).toEqual([
    "Item 'rs_b' of type 'reasoning' was provided without its required following item.",
    "Item 'rs_a' of type 'reasoning' was provided without its required following item.",
  ]);
});

test('stored reasoning of a response that was cut off is never accepted', async () => {
  provider.answer(answer([reasoning('hm', { id: 'rs_cut' })], { finish: 'length' }));
  await post(provider, request([USER]));
  await post(provider, request([USER, reference('rs_cut'), USER]));
  await post(provider, request([USER, reference('rs_cut'), SAID, USER]));
  expect(provider.rejected).toMatchObject([
    { message: expect.stringContaining("'rs_cut'"), param: 'input' },
    { message: expect.stringContaining("'rs_cut'"), param: 'input' },
  ]);
});

test('a missing key and a wrong key are refused', async () => {
  await using locked = await startFakeProvider({ api: 'openai-responses', key: 'right' });
  await post(locked, request([USER]), { headers: {} });
  await post(locked, request([USER]), { headers: { authorization: 'Bearer wrong' } });
  expect(locked.rejected.map(({ status }) => status)).toEqual([401, 401]);
});
