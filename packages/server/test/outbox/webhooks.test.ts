import { answer, fault, startFakeProvider, text, toolCall } from '@chatd/testing';
import { startTestServer } from '@chatd/test-server';
import { dump, execute } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { afterAll, expect, test } from 'vitest';
import { startReceiver, verified } from './receiver.ts';

const provider = await startFakeProvider({ api: 'anthropic' });
afterAll(() => provider.close());
const server = await startTestServer(
  { concurrency: 4, secretKey: 'a-secret-key-of-the-tests' },
  { outbox: { everyMs: 50, delayMs: () => 5, blockMs: 1 }, limits: { max_attempts: 1 } },
);
const { admin, stranger, databaseUrl } = server;
const member = server.owner;
// Receivers have private addresses, which only admins can use.
const owner = admin;
const { id: provider_id } = await admin.ok('createProvider', {
  body: { type: 'anthropic', name: 'Fake', base_url: provider.url, api_key: 'sk-ant-any-key' },
});
const { id: model_config_id } = await admin.ok('createModelConfig', {
  body: { provider_id, model: 'claude-sonnet-4-5', context_limit: 200_000 },
});

const EVENTS = ['chat.waiting', 'chat.requires_action', 'chat.error'] as const;

test('a webhook gets the events of its owner’s chats, signed and in order', async () => {
  const receiver = await startReceiver();
  // A third of the requests fail, and for a while all of them do.
  receiver.answer = (index) => (index % 3 === 1 ? 503 : index > 4 && index < 12 ? null : 204);
  const { secret, ...webhook } = await owner.ok('createWebhook', {
    body: { url: receiver.url, events: EVENTS, filter: { labels: { source: 'test' } } },
  });
  expect(secret).toMatch(/^whsec_/);
  expect(await dump(databaseUrl)).not.toContain(secret.slice(6));

  provider.answer(answer([text('Hello.')]));
  const body = { content: 'Hi', title: 'Events', labels: { source: 'test' }, model_config_id };
  const { id: chat_id } = await owner.ok('createChat', { body });
  const params = { chat_id };
  const idle = (status: string) =>
    eventually(async () => expect(await owner.ok('getChat', { params })).toMatchObject({ status }));
  await idle('waiting');
  provider.answer(answer([toolCall('look_up', { word: 'x' })]));
  const tool = {
    name: 'look_up',
    description: 'Looks up a word.',
    input_schema: { type: 'object' },
  };
  await owner.ok('updateChat', { params, body: { dynamic_tools: [tool] } });
  await owner.ok('sendMessage', { params, body: { content: 'Look it up' } });
  await idle('requires_action');
  provider.answer(answer([text('Found it.')]));
  const { messages } = await owner.ok('listMessages', { params });
  const call = messages.flatMap(({ content }) => content).find(({ type }) => type === 'tool-call');
  const tool_call_id = call?.type === 'tool-call' ? call.tool_call_id : '';
  await owner.ok('submitToolResults', {
    params,
    body: { results: [{ tool_call_id, output: 'a letter' }] },
  });
  await idle('waiting');
  provider.answer(fault.status(401));
  await owner.ok('sendMessage', { params, body: { content: 'Again' } });
  await idle('error');

  const good = () => receiver.requests.filter(({ status }) => status === 204);
  await eventually(() => expect(good()).toHaveLength(4));
  const events = good().map((request) => verified(secret, request));
  expect(events.map(({ type }) => type)).toEqual([
    'chat.waiting',
    'chat.requires_action',
    'chat.waiting',
    'chat.error',
  ]);
  expect(events[0]?.data).toEqual({
    chat_id,
    owner_id: webhook.owner_id,
    title: 'Events',
    labels: { source: 'test' },
    status: 'waiting',
    snapshot_version: expect.any(Number),
  });
  expect(events[1]?.data['calls']).toMatchObject([{ tool_name: 'look_up', awaits: 'dynamic' }]);
  expect(events[3]?.data['error']).toMatchObject({ kind: 'auth' });
  // All attempts of an event have the same ID.
  const ids = new Set(receiver.requests.map(({ headers }) => headers['webhook-id']));
  expect(ids.size).toBe(4);
  expect(() => verified(`whsec_${'A'.repeat(43)}=`, good()[0]!)).toThrow('signature');
});

test('dead letters are listed and can be redelivered, one or all', async () => {
  const receiver = await startReceiver();
  receiver.answer = () => 500;
  const { id: webhook_id } = await owner.ok('createWebhook', {
    body: { url: receiver.url, events: ['chat.waiting'], filter: { labels: { source: 'dead' } } },
  });
  const params = { webhook_id };
  for (let count = 0; count < 3; count += 1) {
    const body = { content: 'Hi', title: 'Dead', labels: { source: 'dead' } };
    await owner.ok('createChat', { body });
  }
  const list = async (query = {}) =>
    (await owner.ok('listWebhookDeliveries', { params, query })).deliveries;
  await eventually(async () => expect(await list({ state: 'pending' })).toHaveLength(3));
  await eventually(() => expect(receiver.requests.length).toBeGreaterThan(6));
  // A day later.
  await execute(
    databaseUrl,
    `UPDATE outbox SET expires_at = now() WHERE target_id = '${webhook_id}'`,
  );
  const dead = await eventually(async () => {
    const found = await list({ state: 'dead' });
    expect(found).toHaveLength(3);
    return found;
  });
  expect(dead[0]).toMatchObject({
    event: 'chat.waiting',
    last_status: 500,
    last_error: 'The receiver responded with HTTP 500.',
  });
  receiver.answer = () => 200;
  const input = { params: { webhook_id, delivery_id: dead[0]?.id ?? 0 } };
  expect(await owner.ok('redeliverWebhookEvent', input)).toMatchObject({ state: 'pending' });
  await eventually(async () => expect(await list({ state: 'dead' })).toHaveLength(2));
  expect(await owner.ok('redeliverWebhookEvents', { params })).toEqual({ count: 2 });
  await eventually(async () => expect(await list({ state: 'delivered' })).toHaveLength(3));
  const page = await owner.ok('listWebhookDeliveries', { params, query: { limit: 2 } });
  const query = { limit: 2, cursor: page.next_cursor ?? '' };
  expect((await owner.ok('listWebhookDeliveries', { params, query })).deliveries).toHaveLength(1);
  expect(
    await owner.refusal('redeliverWebhookEvent', {
      params: { webhook_id, delivery_id: 4_000_000 },
    }),
  ).toBe('404 not_found');
  await owner.ok('deleteWebhook', { params });
  expect(
    await execute(databaseUrl, `SELECT FROM outbox WHERE target_id = '${webhook_id}'`),
  ).toEqual([]);
});

test('after a rotation, the new and the previous secret both sign', async () => {
  const receiver = await startReceiver();
  const chosen = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const created = await owner.ok('createWebhook', {
    body: { url: receiver.url, events: ['chat.error'], secret: chosen },
  });
  expect(created.secret).toBe(chosen);
  const params = { webhook_id: created.id };
  expect(await owner.ok('testWebhook', { params })).toMatchObject({ ok: true });
  const { secret } = await owner.ok('rotateWebhookSecret', { params });
  expect(secret).not.toBe(chosen);
  receiver.answer = () => 302;
  expect(await owner.ok('testWebhook', { params })).toMatchObject({
    ok: false,
    message: expect.stringContaining('redirect'),
  });
  const [first, second] = receiver.requests;
  expect(receiver.requests).toHaveLength(2);
  expect(verified(chosen, first!).type).toBe('webhook.test');
  expect(verified(chosen, second!).type).toBe('webhook.test');
  expect(verified(secret, second!).type).toBe('webhook.test');
});

test('HTTP 410 disables a webhook', async () => {
  const receiver = await startReceiver();
  receiver.answer = () => 410;
  const { id: webhook_id } = await owner.ok('createWebhook', {
    body: { url: receiver.url, events: ['chat.waiting'], filter: { labels: { source: 'gone' } } },
  });
  await owner.ok('createChat', { body: { content: 'Hi', title: 'T', labels: { source: 'gone' } } });
  await eventually(async () =>
    expect(await owner.ok('getWebhook', { params: { webhook_id } })).toMatchObject({
      enabled: false,
    }),
  );
  expect(receiver.requests).toHaveLength(1);
});

test('metadata addresses, invalid URLs, and invalid secrets are refused', async () => {
  const at = (url: string) =>
    member.refusal('createWebhook', { body: { url, events: ['chat.waiting'] } });
  expect(await at('http://169.254.169.254/latest')).toBe('400 url_not_allowed');
  expect(await at('ftp://example.com/')).toBe('400 url_not_allowed');
  expect(await at('https://user:password@example.com/')).toBe('400 url_not_allowed');
  expect(
    await member.refusal('createWebhook', {
      body: { url: 'https://example.com/', events: ['chat.waiting'], secret: 'short' },
    }),
  ).toBe('400 invalid_body');
});

test('members cannot use private addresses, even if admins can', async () => {
  const receiver = await startReceiver();
  const body = { url: receiver.url, events: ['chat.waiting'] };
  expect(await member.refused('createWebhook', { body })).toMatchObject({
    code: 'url_not_allowed',
    errors: [{ path: 'url', message: expect.stringContaining('Only admins') }],
  });
  const { id: webhook_id } = await member.ok('createWebhook', {
    body: { ...body, url: 'https://example.com/' },
  });
  const params = { webhook_id };
  const change = { params, body: { url: receiver.url } };
  expect(await member.refusal('updateWebhook', change)).toBe('400 url_not_allowed');
  expect(await admin.refusal('updateWebhook', change)).toBe('400 url_not_allowed');
  // A host name can resolve to another address later: every connection is checked.
  await execute(
    databaseUrl,
    `UPDATE webhooks SET url = '${receiver.url}' WHERE id = '${webhook_id}'`,
  );
  expect(await member.ok('testWebhook', { params })).toMatchObject({
    ok: false,
    message: expect.stringContaining('private address'),
  });
  expect(receiver.requests).toEqual([]);
  await member.ok('deleteWebhook', { params });
});

test('webhooks are private; admins manage those of all users', async () => {
  const { id: webhook_id } = await member.ok('createWebhook', {
    body: { url: 'https://example.com/', events: ['chat.waiting'], enabled: false },
  });
  const params = { webhook_id };
  expect((await stranger.ok('listWebhooks')).webhooks).toEqual([]);
  expect(await stranger.refusal('listWebhooks', { query: { all: true } })).toBe(
    '403 admin_required',
  );
  const { webhooks } = await admin.ok('listWebhooks', { query: { all: true, limit: 200 } });
  expect(webhooks.map(({ id }) => id)).toContain(webhook_id);
  await admin.ok('updateWebhook', { params, body: { events: ['chat.error', 'chat.error'] } });
  expect(await member.ok('getWebhook', { params })).toMatchObject({ events: ['chat.error'] });
  await admin.ok('deleteWebhook', { params });
  expect(await member.refusal('getWebhook', { params })).toBe('404 not_found');
  const { audit_events } = await admin.ok('listAuditEvents', { query: { target_id: webhook_id } });
  expect(audit_events.map(({ action }) => action)).toEqual([
    'webhook.delete',
    'webhook.update',
    'webhook.create',
  ]);
});
