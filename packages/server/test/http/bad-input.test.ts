import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { QUEUE_LIMIT, type RouteName } from '@chatd/protocol';
import { expect, test } from 'vitest';
import { inState } from '../store/state-fixtures.ts';
import { dump, execute } from '@chatd/test-server/database';
import { ADMIN_TOKEN, type Input, rawRequest, startTestServer } from '@chatd/test-server';

const server = await startTestServer();
const { admin, anonymous, as, databaseUrl, owner, store, url } = server;

const idle = await inState(store, 'waiting');
const busy = await inState(store, 'running');
const archived = await inState(store, 'archived');
const awaiting = await inState(store, 'requires_action');
const full = await inState(store, 'running');
for (let index = 0; index < QUEUE_LIMIT; index += 1) {
  await store.client.send(full.chatId, store.message(`queued ${index}`));
}
const [, answer] = await store.history(idle.chatId);

const params = { chat_id: idle.chatId };
const ui = (parts: readonly unknown[]) => ({
  params,
  body: { messages: [{ id: 'x', role: 'user', parts }] },
});
const JSON_TYPE = { 'content-type': 'application/json' };
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

type Row = readonly [what: string, expected: string, name: RouteName, input: Input];

/** Every row leaves the database unchanged. */
const ROWS: readonly Row[] = [
  // Malformed bodies.
  ['not JSON', '400 invalid_json', 'createChat', { raw: '{"content":', headers: JSON_TYPE }],
  ['no body', '400 invalid_json', 'createChat', { raw: '', headers: JSON_TYPE }],
  [
    'not UTF-8',
    '400 invalid_json',
    'createChat',
    { raw: Buffer.from('{"content":"\xff"}', 'latin1'), headers: JSON_TYPE },
  ],
  [
    'no content type',
    '415 unsupported_media_type',
    'createChat',
    { raw: Buffer.from('{"content":"x"}') },
  ],
  [
    'another content type',
    '415 unsupported_media_type',
    'createChat',
    { raw: '{"content":"x"}', headers: { 'content-type': 'text/plain' } },
  ],
  [
    'a form',
    '415 unsupported_media_type',
    'createChat',
    { raw: 'content=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  ],
  ['too large', '413 body_too_large', 'createChat', { body: { content: 'x'.repeat(256 * 1024) } }],
  [
    'nested too deeply',
    '400 json_too_deep',
    'createChat',
    { raw: `{"content":"x","dynamic_tools":${nested(64)}}`, headers: JSON_TYPE },
  ],
  [
    'nested extremely deeply',
    '400 json_too_deep',
    'createChat',
    { raw: '['.repeat(250_000), headers: JSON_TYPE },
  ],
  ['an array', '400 invalid_body', 'createChat', { body: [] }],
  ['null', '400 invalid_body', 'createChat', { raw: 'null', headers: JSON_TYPE }],
  // Text.
  ['NUL in text', '400 invalid_text', 'createChat', { body: { content: 'a\0b' } }],
  [
    'a lone surrogate in text',
    '400 invalid_text',
    'createChat',
    { raw: String.raw`{"content":"\ud800"}`, headers: JSON_TYPE },
  ],
  [
    'a lone surrogate in a part',
    '400 invalid_text',
    'sendMessage',
    { params, raw: String.raw`{"content":[{"type":"text","text":"\udc00x"}]}`, headers: JSON_TYPE },
  ],
  [
    'NUL in a key',
    '400 invalid_text',
    'createChat',
    { body: { content: 'x', labels: { 'a\0': 'b' } } },
  ],
  [
    'NUL in a tool result',
    '400 invalid_text',
    'submitToolResults',
    {
      params: { chat_id: awaiting.chatId },
      body: { results: [{ tool_call_id: 'c1', output: { deep: ['\0'] } }] },
    },
  ],
  ['NUL in the query', '400 invalid_text', 'listChats', { query: 'q=%00' }],
  ['invalid UTF-8 in the query', '400 invalid_text', 'listChats', { query: 'q=%ff' }],
  ['a surrogate in the query', '400 invalid_text', 'listChats', { query: 'q=%ED%A0%80' }],
  // Content.
  ['empty content', '400 invalid_body', 'createChat', { body: { content: '' } }],
  ['blank content', '400 invalid_body', 'sendMessage', { params, body: { content: ' \n\t' } }],
  ['no parts', '400 invalid_body', 'sendMessage', { params, body: { content: [] } }],
  [
    'blank parts',
    '400 invalid_body',
    'editMessage',
    {
      params: { ...params, message_id: idle.firstMessageId },
      body: { content: [{ type: 'text', text: ' ' }] },
    },
  ],
  ['no content at all', '400 invalid_body', 'createChat', { body: {} }],
  ['content of another type', '400 invalid_body', 'createChat', { body: { content: 5 } }],
  [
    'a part that only the server creates',
    '400 invalid_body',
    'createChat',
    { body: { content: [{ type: 'reasoning', text: 'x' }] } },
  ],
  [
    'a file that does not exist',
    '400 unknown_file',
    'createChat',
    { body: { content: [{ type: 'file', file_id: randomUUID() }] } },
  ],
  // Fields.
  [
    'an unknown field',
    '400 unknown_field',
    'createChat',
    { body: { content: 'x', colour: 'red' } },
  ],
  [
    'an unknown field in a part',
    '400 unknown_field',
    'createChat',
    { body: { content: [{ type: 'text', text: 'x', provider_metadata: {} }] } },
  ],
  [
    '__proto__',
    '400 unknown_field',
    'createChat',
    { raw: '{"content":"x","__proto__":{"admin":true}}', headers: JSON_TYPE },
  ],
  [
    'an escaped __proto__',
    '400 unknown_field',
    'createChat',
    { raw: String.raw`{"content":"x","\u005f_proto__":{}}`, headers: JSON_TYPE },
  ],
  [
    '__proto__ deep in free JSON',
    '400 unknown_field',
    'submitToolResults',
    {
      params: { chat_id: awaiting.chatId },
      raw: '{"results":[{"tool_call_id":"c1","output":{"a":[{"__proto__":1}]}}]}',
      headers: JSON_TYPE,
    },
  ],
  [
    'constructor',
    '400 unknown_field',
    'createChat',
    { body: { content: 'x', constructor: { prototype: {} } } },
  ],
  [
    'constructor.prototype in free JSON',
    '400 unknown_field',
    'submitToolResults',
    {
      params: { chat_id: awaiting.chatId },
      body: { results: [{ tool_call_id: 'c1', output: { constructor: { prototype: { a: 1 } } } }] },
    },
  ],
  [
    'an invalid label',
    '400 invalid_body',
    'createChat',
    { body: { content: 'x', labels: { '!': 'y' } } },
  ],
  [
    'too many labels',
    '400 invalid_labels',
    'updateChat',
    {
      params,
      body: {
        labels: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`l${index}`, ''])),
      },
    },
  ],
  [
    'a tool twice',
    '400 duplicate_tool_name',
    'createChat',
    { body: { content: 'x', dynamic_tools: [{ name: 'a' }, { name: 'a' }] } },
  ],
  [
    'a tool with the reserved name of summaries',
    '400 reserved_tool_name',
    'createChat',
    { body: { content: 'x', dynamic_tools: [{ name: 'chat_summarized' }] } },
  ],
  [
    'a tool with an invalid name',
    '400 invalid_body',
    'createChat',
    { body: { content: 'x', dynamic_tools: [{ name: 'a b' }] } },
  ],
  ['an empty title', '400 invalid_body', 'updateChat', { params, body: { title: '  ' } }],
  ['a negative pin', '400 invalid_body', 'updateChat', { params, body: { pin_order: -1 } }],
  [
    'an unknown busy behavior',
    '400 invalid_body',
    'sendMessage',
    { params, body: { content: 'x', busy_behavior: 'now' } },
  ],
  [
    'an unknown model',
    '400 unknown_model_config',
    'createChat',
    { body: { content: 'x', model_config_id: randomUUID() } },
  ],
  [
    'an unknown model for a message',
    '400 unknown_model_config',
    'sendMessage',
    { params, body: { content: 'x', model_config_id: randomUUID() } },
  ],
  [
    'an unknown model for a chat',
    '400 unknown_model_config',
    'updateChat',
    { params, body: { title: 'y', model_config_id: randomUUID() } },
  ],
  [
    'an unknown workspace',
    '400 unknown_workspace',
    'createChat',
    { body: { content: 'x', workspace_id: randomUUID() } },
  ],
  [
    'an unknown workspace for a chat',
    '400 unknown_workspace',
    'updateChat',
    { params, body: { workspace_id: randomUUID() } },
  ],
  [
    'an unknown MCP server',
    '400 unknown_mcp_server',
    'createChat',
    { body: { content: 'x', mcp_server_ids: [randomUUID()] } },
  ],
  // IDs.
  ['an ID that is not a UUID', '400 invalid_id', 'getChat', { params: { chat_id: '1' } }],
  [
    'an ID with SQL in it',
    '400 invalid_id',
    'getChat',
    { params: { chat_id: encodeURIComponent("' OR 1=1 --") } },
  ],
  [
    'a message ID beyond 2^53',
    '400 invalid_id',
    'editMessage',
    { params: { ...params, message_id: '9007199254740993' }, body: { content: 'x' } },
  ],
  [
    'a message ID that is not a number',
    '400 invalid_id',
    'editMessage',
    { params: { ...params, message_id: 'x' }, body: { content: 'x' } },
  ],
  [
    'a queue ID of zero',
    '400 invalid_id',
    'deleteQueuedMessage',
    { params: { ...params, queued_message_id: 0 } },
  ],
  [
    'a message ID beyond 2^53 in a body',
    '400 invalid_body',
    'forkChat',
    { params, raw: '{"message_id":9007199254740993}', headers: JSON_TYPE },
  ],
  [
    'a fork at an unknown message',
    '400 unknown_message',
    'forkChat',
    { params, body: { message_id: 4_000_000_000 } },
  ],
  [
    'a fork at a message of another chat',
    '400 unknown_message',
    'forkChat',
    { params, body: { message_id: busy.firstMessageId } },
  ],
  [
    'read up to an unknown message',
    '400 unknown_message',
    'markChatRead',
    { params, body: { message_id: 4_000_000_000 } },
  ],
  // Queries.
  [
    'a search among subagents',
    '400 invalid_query',
    'listChats',
    { query: { q: 'x', parent_chat_id: randomUUID() } },
  ],
  [
    'a parent that is not an ID',
    '400 invalid_query',
    'listChats',
    { query: { parent_chat_id: 'x' } },
  ],
  ['a tail of -1', '400 invalid_query', 'streamChat', { params, query: { tail: -1 } }],
  ['a tail of 1001', '400 invalid_query', 'streamChat', { params, query: { tail: 1001 } }],
  ['an invalid position', '400 invalid_cursor', 'streamUi', { params, query: { after: '1' } }],
  ['no UI message', '400 invalid_body', 'sendUiMessages', { params, body: { messages: [] } }],
  ['an empty UI message', '400 invalid_content', 'sendUiMessages', ui([])],
  [
    'a UI message with a file of another user',
    '400 invalid_content',
    'sendUiMessages',
    ui([{ type: 'file', url: 'https://example.com/a.png', mediaType: 'image/png' }]),
  ],
  ['a limit of zero', '400 invalid_query', 'listChats', { query: { limit: 0 } }],
  ['a limit of 201', '400 invalid_query', 'listChats', { query: { limit: 201 } }],
  ['a limit twice', '400 invalid_query', 'listChats', { query: 'limit=1&limit=2' }],
  ['an unknown status', '400 invalid_query', 'listChats', { query: { status: 'asleep' } }],
  ['a label without a value', '400 invalid_query', 'listChats', { query: { label: 'team' } }],
  ['an unknown query parameter', '400 unknown_field', 'listChats', { query: { sort: 'title' } }],
  [
    'a query parameter of a route without any',
    '400 unknown_field',
    'getChat',
    { params, query: { full: 1 } },
  ],
  [
    'messages after a word',
    '400 invalid_query',
    'listMessages',
    { params, query: { after_id: 'x' } },
  ],
  ...['-1', '00', '0.5', '', '9007199254740992'].map((after_id): Row => [
    `messages after ${JSON.stringify(after_id)}`,
    '400 invalid_query',
    'listMessages',
    { params, query: { after_id } },
  ]),
  [
    'messages before an invalid ID',
    '400 invalid_query',
    'listMessages',
    { params, query: { before_id: 0 } },
  ],
  ['an unknown format', '400 invalid_query', 'exportChat', { params, query: { format: 'pdf' } }],
  [
    'a range that ends before it starts',
    '400 invalid_query',
    'getUsage',
    { query: { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' } },
  ],
  ['a malformed cursor', '400 invalid_cursor', 'listChats', { query: { cursor: 'x!' } }],
  ['a cursor that is not JSON', '400 invalid_cursor', 'listChats', { query: { cursor: 'AAAA' } }],
  [
    'a cursor with other fields',
    '400 invalid_cursor',
    'listChats',
    { query: { cursor: Buffer.from('{"id":"1"}').toString('base64url') } },
  ],
  [
    'a cursor out of range',
    '400 invalid_cursor',
    'listChats',
    {
      query: {
        cursor: Buffer.from(
          `{"pin_order":3000000000,"activity":0,"id":"${randomUUID()}"}`,
        ).toString('base64url'),
      },
    },
  ],
  ['an empty cursor', '400 invalid_cursor', 'listTokens', { query: { cursor: '' } }],
  // States.
  [
    'a message to an archived chat',
    '409 chat_archived',
    'sendMessage',
    { params: { chat_id: archived.chatId }, body: { content: 'x' } },
  ],
  ['interrupting an idle chat', '409 not_running', 'interruptChat', { params }],
  [
    'editing an answer',
    '400 not_a_user_message',
    'editMessage',
    { params: { ...params, message_id: answer?.id ?? 0 }, body: { content: 'x' } },
  ],
  [
    'editing an unknown message',
    '404 not_found',
    'editMessage',
    { params: { ...params, message_id: 4_000_000_000 }, body: { content: 'x' } },
  ],
  [
    'unexpected tool results',
    '409 not_waiting_for_tools',
    'submitToolResults',
    { params, body: { results: [{ tool_call_id: 'c1', output: 1 }] } },
  ],
  [
    'a missing result',
    '400 tool_results_mismatch',
    'submitToolResults',
    {
      params: { chat_id: awaiting.chatId },
      body: { results: [{ tool_call_id: 'c1', output: 1 }] },
    },
  ],
  [
    'an unknown result',
    '400 tool_results_mismatch',
    'submitToolResults',
    {
      params: { chat_id: awaiting.chatId },
      body: { results: ['c1', 'c2', 'c3'].map((tool_call_id) => ({ tool_call_id, output: 1 })) },
    },
  ],
  [
    'a duplicate result',
    '400 tool_results_mismatch',
    'submitToolResults',
    {
      params: { chat_id: awaiting.chatId },
      body: { results: ['c1', 'c2', 'c2'].map((tool_call_id) => ({ tool_call_id, output: 1 })) },
    },
  ],
  [
    'an unexpected decision',
    '409 not_waiting_for_you',
    'decideApprovals',
    { params, body: { decisions: [{ tool_call_id: 'c1', decision: 'allow' }] } },
  ],
  [
    "a decision on a call of a client's tool",
    '409 not_waiting_for_you',
    'decideApprovals',
    {
      params: { chat_id: awaiting.chatId },
      body: { decisions: [{ tool_call_id: 'c1', decision: 'allow', remember: 'always' }] },
    },
  ],
  [
    'an unknown decision',
    '400 invalid_body',
    'decideApprovals',
    { params, body: { decisions: [{ tool_call_id: 'c1', decision: 'perhaps' }] } },
  ],
  ['no decisions', '400 invalid_body', 'decideApprovals', { params, body: { decisions: [] } }],
  [
    'an unexpected answer',
    '409 not_waiting_for_you',
    'answerQuestion',
    { params: { chat_id: awaiting.chatId }, body: { tool_call_id: 'c1', answer: 'x' } },
  ],
  [
    'an empty answer',
    '400 invalid_body',
    'answerQuestion',
    { params, body: { tool_call_id: 'c1', answer: {} } },
  ],
  [
    'NUL in an answer',
    '400 invalid_text',
    'answerQuestion',
    { params, body: { tool_call_id: 'c1', answer: 'a\0' } },
  ],
  [
    'a rule without a pattern',
    '400 invalid_body',
    'updateApprovals',
    { body: { approvals: [{ pattern: '', action: 'allow' }] } },
  ],
  [
    'no results',
    '400 invalid_body',
    'submitToolResults',
    { params: { chat_id: awaiting.chatId }, body: { results: [] } },
  ],
  [
    'archiving a busy chat',
    '409 chat_active',
    'updateChat',
    { params: { chat_id: busy.chatId }, body: { title: 'y', archived: true } },
  ],
  ['deleting a busy chat', '409 chat_active', 'deleteChat', { params: { chat_id: busy.chatId } }],
  [
    'compacting a busy chat',
    '409 chat_active',
    'compactChat',
    { params: { chat_id: busy.chatId } },
  ],
  [
    'a full queue',
    '429 queue_full',
    'sendMessage',
    { params: { chat_id: full.chatId }, body: { content: 'x' } },
  ],
  [
    'promoting an unknown message',
    '404 not_found',
    'promoteQueuedMessage',
    { params: { ...params, queued_message_id: 4_000_000_000 } },
  ],
  // Files.
  [
    'a file without a type',
    '415 unsupported_media_type',
    'uploadFile',
    { query: { name: 'a' }, raw: Buffer.from('x') },
  ],
  [
    'a file as a form',
    '415 unsupported_media_type',
    'uploadFile',
    {
      query: { name: 'a' },
      raw: 'x',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    },
  ],
  [
    'a file without a name',
    '400 invalid_query',
    'uploadFile',
    { raw: 'x', headers: { 'content-type': 'text/plain' } },
  ],
  [
    'a file with a path as its name',
    '400 invalid_query',
    'uploadFile',
    { query: { name: '../a' }, raw: 'x', headers: { 'content-type': 'text/plain' } },
  ],
  [
    'a file that is too large',
    '413 body_too_large',
    'uploadFile',
    {
      query: { name: 'a' },
      raw: Buffer.alloc(10 * 1024 * 1024 + 1),
      headers: { 'content-type': 'application/octet-stream' },
    },
  ],
  // Accounts.
  [
    'a scope that does not exist',
    '400 invalid_body',
    'createToken',
    { body: { name: 'x', scopes: ['root'] } },
  ],
  ['no scopes at all', '400 invalid_body', 'createToken', { body: { name: 'x', scopes: [] } }],
  [
    'a token that has already expired',
    '400 invalid_body',
    'createToken',
    { body: { name: 'x', expires_at: '2020-01-01T00:00:00Z' } },
  ],
  [
    'a token for another user',
    '403 admin_required',
    'createToken',
    { body: { name: 'x', user_id: randomUUID() } },
  ],
  ['a short password', '400 invalid_body', 'changePassword', { body: { password: 'short' } }],
  ['all chats as a member', '403 admin_required', 'listChats', { query: { all: true } }],
  ['all usage as a member', '403 admin_required', 'getUsage', { query: { all: true } }],
  // Idempotency keys.
  [
    'an Idempotency-Key with spaces',
    '400 invalid_idempotency_key',
    'createChat',
    { body: { content: 'x' }, headers: { 'idempotency-key': 'a b' } },
  ],
  [
    'an overlong Idempotency-Key',
    '400 invalid_idempotency_key',
    'createChat',
    { body: { content: 'x' }, headers: { 'idempotency-key': 'x'.repeat(256) } },
  ],
];

test.each(ROWS)('%s: %s, and nothing changes', async (_, expected, name, input) => {
  const before = await dump(databaseUrl);
  expect(await owner.refusal(name, input)).toBe(expected);
  expect(await dump(databaseUrl)).toBe(before);
});

const ADMIN_ROWS: readonly Row[] = [
  ['a username that is taken', '409 username_taken', 'createUser', { body: { username: 'admin' } }],
  ['a username with capitals', '400 invalid_body', 'createUser', { body: { username: 'Bob' } }],
  [
    'a role that does not exist',
    '400 invalid_body',
    'createUser',
    { body: { username: 'bob', role: 'owner' } },
  ],
  [
    'a token for an unknown user',
    '400 unknown_user',
    'createToken',
    { body: { name: 'x', user_id: randomUUID() } },
  ],
  [
    'a negative spend limit',
    '400 invalid_body',
    'updateSettings',
    { body: { spend_limit_micros: -1 } },
  ],
  [
    'an excessive retention',
    '400 invalid_body',
    'updateSettings',
    { body: { retention_days: 1e12 } },
  ],
  [
    'a setting that does not exist',
    '400 unknown_field',
    'updateSettings',
    { body: { theme: 'dark' } },
  ],
  [
    'a user who does not exist',
    '404 not_found',
    'deleteUser',
    { params: { user_id: randomUUID() } },
  ],
];

test.each(ADMIN_ROWS)(
  'as an admin, %s: %s, and nothing changes',
  async (_, expected, name, input) => {
    const before = await dump(databaseUrl);
    expect(await admin.refusal(name, input)).toBe(expected);
    expect(await dump(databaseUrl)).toBe(before);
  },
);

test('a problem lists every error with its path and a readable message', async () => {
  const problem = await owner.refused('createChat', {
    body: { content: [{ type: 'text' }, { type: 'nope' }], title: 5, plan_mode: 'yes' },
  });
  expect(problem.code).toBe('invalid_body');
  expect(problem.errors?.map(({ path, message }) => `${path} ${message}`)).toEqual([
    'content.0.text is required',
    'content.1.type does not match any of the allowed forms',
    'plan_mode must be a boolean, not a string',
    'title must be a string, not a number',
  ]);
  expect(problem.detail).toBe('content.0.text: is required (and 3 more, see errors)');
});

test('a full queue returns Retry-After', async () => {
  const { headers } = await owner.refused('sendMessage', {
    params: { chat_id: full.chatId },
    body: { content: 'x' },
  });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
});

test('a missing, wrong, or malformed token is refused', async () => {
  const before = await dump(databaseUrl);
  const none = await anonymous.refused('getMe');
  expect(none).toMatchObject({ status: 401, code: 'unauthenticated' });
  expect(none.headers.get('www-authenticate')).toContain('Bearer');
  expect(await as('chatd_wrong').refusal('getMe')).toBe('401 unauthenticated');
  expect(await anonymous.refusal('getMe', { headers: { authorization: 'Basic x' } })).toBe(
    '401 unauthenticated',
  );
  expect(await anonymous.refusal('createChat', { body: { content: 'x' } })).toBe(
    '401 unauthenticated',
  );
  expect(await anonymous.refusal('getChat', { params: { chat_id: 'x' } })).toBe(
    '401 unauthenticated',
  );
  expect(await dump(databaseUrl)).toBe(before);
});

test('a token that has expired or lacks the scope is refused', async () => {
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const expiring = await owner.ok('createToken', { body: { name: 'old', expires_at } });
  const reading = await owner.ok('createToken', { body: { name: 'r', scopes: ['read'] } });
  await execute(
    databaseUrl,
    `UPDATE tokens SET expires_at = now() - interval '1 s' WHERE id = '${expiring.id}'`,
  );
  const before = await dump(databaseUrl);
  expect(await as(expiring.token).refusal('getMe')).toBe('401 token_expired');
  expect(await as(reading.token).refusal('createChat', { body: { content: 'x' } })).toBe(
    '403 insufficient_scope',
  );
  expect(await dump(databaseUrl)).toBe(before);
});

test.each([
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.evil.example:80',
  '[::2]:7717',
  '10.0.0.1',
])('the host %s is refused', async (host) => {
  const before = await dump(databaseUrl);
  const { status, text } = await rawRequest(url, {
    method: 'POST',
    path: '/api/v1/chats',
    headers: { host, authorization: `Bearer ${ADMIN_TOKEN}`, ...JSON_TYPE },
    body: '{"content":"x"}',
  });
  expect(status).toBe(421);
  expect(JSON.parse(text)).toMatchObject({ code: 'host_not_allowed' });
  expect(await dump(databaseUrl)).toBe(before);
});

test.each(['localhost', 'LOCALHOST:1', '[::1]:7717', '127.0.0.1', 'localhost.'])(
  'the loopback host %s is accepted',
  async (host) => {
    const { status } = await rawRequest(url, {
      path: '/api/v1/users/me',
      headers: { host, authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    expect(status).toBe(200);
  },
);

test('an unknown path returns 404, and an unsupported method 405', async () => {
  const missing = await owner.send('GET', '/api/v1/nothing?token=secret');
  expect(missing.status).toBe(404);
  expect(missing.headers.get('content-type')).toBe('application/problem+json');
  expect(JSON.parse(missing.text)).toMatchObject({
    code: 'not_found',
    detail: 'Unknown path /api/v1/nothing. See /docs for the API.',
  });
  const wrong = await owner.send('PUT', `/api/v1/chats/${idle.chatId}`);
  expect(wrong.status).toBe(405);
  expect(wrong.headers.get('allow')).toBe('GET, HEAD, PATCH, DELETE');
  expect(JSON.parse(wrong.text)).toMatchObject({ code: 'method_not_allowed' });
  expect((await owner.send('POST', '/healthz')).status).toBe(405);
});

test('a body with too large a Content-Length is refused before it is sent', async () => {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const { hostname, port } = new URL(url);
  const request = httpRequest(
    {
      hostname,
      port,
      method: 'POST',
      path: '/api/v1/chats',
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        ...JSON_TYPE,
        'content-length': String(1024 ** 4),
      },
    },
    (response) => resolve(response.statusCode),
  );
  request.on('error', reject);
  request.flushHeaders();
  expect(await promise).toBe(413);
  request.destroy();
});

test('a chunked body is refused once it is too large', async () => {
  const before = await dump(databaseUrl);
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const { hostname, port } = new URL(url);
  let sent = 0;
  const request = httpRequest(
    {
      hostname,
      port,
      method: 'POST',
      path: '/api/v1/chats',
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        ...JSON_TYPE,
        'transfer-encoding': 'chunked',
      },
    },
    (response) => resolve(response.statusCode),
  );
  // The server closes the connection at some point. Only its response matters.
  request.on('error', () => undefined);
  request.write('{"content":"');
  const more = () => {
    if (sent >= 8 * 1024 * 1024) return;
    sent += 65_536;
    request.write('x'.repeat(65_536), more);
  };
  more();
  expect(await promise).toBe(413);
  request.destroy();
  expect(await dump(databaseUrl)).toBe(before);
});
