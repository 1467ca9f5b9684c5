import { ADMIN_TOKEN, ApiClient, startTestServer } from '@chatd/test-server';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CLIENTS, type Connect, type McpClient } from './clients.ts';

vi.setConfig({ testTimeout: 60_000 });

const server = await startTestServer({ concurrency: 8 });
const { admin, url } = server;
const modern = CLIENTS['the client at 2026-07-28']!;

async function open(connect: Connect, token = ADMIN_TOKEN): Promise<McpClient> {
  const client = await connect(url, token);
  onTestFinished(() => client.close());
  return client;
}

interface Result {
  chat_id: string;
  status: string;
  text: string;
  note?: string;
  pending?: { tool_call_id: string; kind: string }[];
}

async function call(client: McpClient, name: string, args: Record<string, unknown>) {
  const { structuredContent, isError, content } = await client.call(name, args);
  expect(isError, JSON.stringify(content)).not.toBe(true);
  return structuredContent as Result;
}

const refusal = async (client: McpClient, name: string, args: Record<string, unknown>) =>
  JSON.stringify((await client.call(name, args)).content);

describe.each(Object.entries(CLIENTS))('%s', (_, connect) => {
  test('starts a chat, waits with progress, reads it, and continues it', async () => {
    const client = await open(connect);
    expect(await client.tools()).toEqual([
      'start_chat',
      'send_message',
      'wait_for_chat',
      'read_chat',
      'list_chats',
      'interrupt_chat',
      'answer_question',
    ]);
    const { chat_id } = await call(client, 'start_chat', { message: 'be slow for 1 second' });
    const messages: (string | undefined)[] = [];
    const waited = await client.call('wait_for_chat', { chat_id }, (text) => messages.push(text));
    expect(waited.structuredContent).toMatchObject({ status: 'waiting', chat_id });
    expect(messages.length).toBeGreaterThan(0);

    const params = { chat_id };
    await admin.ok('sendMessage', { params, body: { content: 'show me markdown' } });
    expect((await call(client, 'wait_for_chat', { chat_id })).text).toContain('A table');
    await call(client, 'send_message', { chat_id, message: 'hello' });
    expect((await call(client, 'wait_for_chat', { chat_id })).text).toContain('demo model');
    const read = await call(client, 'read_chat', { chat_id, limit: 2 });
    expect(read).toMatchObject({
      has_more: true,
      messages: [{ role: 'user', text: 'hello' }, { role: 'assistant' }],
    });
    const { chats } = (await call(client, 'list_chats', { limit: 1 })) as never as {
      chats: object[];
    };
    expect(chats).toMatchObject([{ chat_id, status: 'waiting' }]);

    const [resource] = await client.resources();
    expect(resource?.uri).toBe(`chatd://chats/${chat_id}`);
    expect(await client.read(resource?.uri ?? '')).toContain('show me markdown');
  });
});

test('a question is answered, and a turn is interrupted', async () => {
  const client = await open(modern);
  const { chat_id } = await call(client, 'start_chat', { message: 'ask me a question' });
  const { status, pending } = await call(client, 'wait_for_chat', { chat_id });
  expect([status, pending?.[0]?.kind]).toEqual(['requires_action', 'question']);
  const answer = { chat_id, tool_call_id: pending?.[0]?.tool_call_id, selected: ['Green'] };
  await call(client, 'answer_question', answer);
  expect((await call(client, 'wait_for_chat', { chat_id })).text).toContain('Green');
  expect(await refusal(client, 'answer_question', answer)).toContain('not_waiting_for_you');

  await call(client, 'send_message', { chat_id, message: 'be slow' });
  const soon = await call(client, 'wait_for_chat', { chat_id, timeout_seconds: 1 });
  expect(soon).toMatchObject({
    status: 'running',
    note: expect.stringContaining('again') as string,
  });
  await call(client, 'interrupt_chat', { chat_id });
  expect((await call(client, 'wait_for_chat', { chat_id })).status).toBe('waiting');
  expect(await refusal(client, 'interrupt_chat', { chat_id })).toContain('not_running');
});

const request = (headers: Record<string, string>, body = '{}') =>
  fetch(new URL('/mcp', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });

describe('access', () => {
  test('requires a valid token', async () => {
    const none = await request({});
    expect(none.status).toBe(401);
    expect(none.headers.get('www-authenticate')).toContain('Bearer');
    expect(await none.json()).toMatchObject({
      jsonrpc: '2.0',
      error: { data: { code: 'unauthenticated' } },
    });
    const wrong = await request({ authorization: 'Bearer wrong-token-0123456789' });
    expect(wrong.status).toBe(401);
    await expect(modern(url, 'wrong-token-0123456789')).rejects.toThrow('401');
    const get = await fetch(new URL('/mcp', url), {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    expect(get.status).toBe(405);
  });

  test('is not granted by a session cookie', async () => {
    const credentials = { username: 'with-a-session', password: 'a long password' };
    await admin.ok('createUser', { body: credentials });
    const headers = { origin: url };
    const signedIn = await server.anonymous.call('signIn', { body: credentials, headers });
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await new ApiClient(url, { cookie, ...headers }).ok('getMe')).username).toBe(
      credentials.username,
    );
    const refused = await request({ cookie, ...headers });
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ error: { data: { code: 'unauthenticated' } } });
  });

  test('is limited to the token: its scopes apply, and chats of other users are not found', async () => {
    const owner = await open(modern);
    const { chat_id } = await call(owner, 'start_chat', { message: 'hello' });
    const { id: user_id } = await admin.ok('createUser', { body: { username: 'someone-else' } });
    const tokenWith = async (scopes?: ('read' | 'write')[]) =>
      (
        await admin.ok('createToken', {
          body: { name: 'test', user_id, ...(scopes && { scopes }) },
        })
      ).token;
    const other = await open(modern, await tokenWith());
    for (const [name, more] of Object.entries({
      send_message: { message: 'x' },
      wait_for_chat: {},
      read_chat: {},
      interrupt_chat: {},
      answer_question: { tool_call_id: 'x', text: 'x' },
    })) {
      expect(await refusal(other, name, { chat_id, ...more })).toContain('Not found. (not_found)');
    }
    expect(await other.resources()).toEqual([]);
    await expect(other.read(`chatd://chats/${chat_id}`)).rejects.toThrow('Not found');
    const reader = await open(modern, await tokenWith(['read']));
    expect(await refusal(reader, 'start_chat', { message: 'x' })).toContain('insufficient_scope');
  });

  test('a body that is too large or not JSON is refused', async () => {
    const authorization = `Bearer ${ADMIN_TOKEN}`;
    const large = await request({ authorization }, 'x'.repeat(300 * 1024));
    expect(large.status).toBe(413);
    const accept = 'application/json, text/event-stream';
    expect((await request({ authorization, accept }, 'nonsense')).status).toBe(400);
  });
});
