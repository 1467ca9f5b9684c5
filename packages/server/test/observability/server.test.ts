import { answer, fault, startFakeProvider, text as says } from '@chatd/testing';
import { afterAll, expect, test } from 'vitest';
import { startTestServer } from '@chatd/test-server';
import { eventually } from '@chatd/test-server/eventually';
import { startOtlpReceiver } from './otlp-receiver.ts';

const receiver = await startOtlpReceiver();
const provider = await startFakeProvider({ api: 'anthropic' });
const server = await startTestServer(
  { concurrency: 4, secretKey: 'a-secret-key-of-the-tests' },
  { env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '50' } },
);
afterAll(() => Promise.all([receiver.close(), provider.close()]));
const { admin, owner, stranger, logged } = server;

const KEY = 'sk-ant-planted-0123456789';
const { id: provider_id } = await admin.ok('createProvider', {
  body: { type: 'anthropic', name: 'Fake', base_url: provider.url, api_key: KEY },
});
const { id: model_config_id } = await admin.ok('createModelConfig', {
  body: { provider_id, model: 'claude-sonnet-4-5', display_name: 'Claude', context_limit: 200_000 },
});

/** Creates a chat and waits for its status. */
async function talk(content: string, headers = {}, status = 'waiting'): Promise<string> {
  const body = { content, title: 'Talk', model_config_id };
  const { id } = await owner.ok('createChat', { body, headers });
  await eventually(async () => {
    expect(await owner.ok('getChat', { params: { chat_id: id } })).toMatchObject({ status });
  });
  return id;
}

test('the server logs its versions and enabled features in one line at startup', () => {
  const started = logged.filter((line) => line.includes('chatd started'));
  expect(started).toHaveLength(1);
  expect(JSON.parse(started[0] ?? '')).toMatchObject({
    version: expect.stringMatching(/^\d/),
    node: process.versions.node,
    postgres: expect.stringMatching(/^\d+\.\d+/),
    bus: 'postgres',
    concurrency: 4,
    traces: true,
    debug_record: false,
  });
});

test('the trace of a request continues in the turn that it starts', async () => {
  const trace = '0af7651916cd43dd8448eb211c80319c';
  provider.answer(answer([says('Hi!')]), answer([says('Fine.')]));
  const traceparent = `00-${trace}-b7ad6b7169203331-01`;
  const chatId = await talk('Hello', { traceparent });
  const request = await receiver.span('POST /chats');
  expect(request).toMatchObject({
    kind: 2,
    traceId: trace,
    parentSpanId: 'b7ad6b7169203331',
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/chats',
      'http.response.status_code': 201,
    },
  });
  const turn = await receiver.span('invoke_agent chatd');
  expect(turn).toMatchObject({ traceId: trace, parentSpanId: request.spanId });
  const call = await receiver.span('chat claude-sonnet-4-5');
  expect(call).toMatchObject({
    traceId: trace,
    attributes: { 'server.address': '127.0.0.1', 'gen_ai.conversation.id': chatId },
  });

  await owner.ok('sendMessage', { params: { chat_id: chatId }, body: { content: 'How are you?' } });
  const next = await receiver.span('POST /chats/{chat_id}/messages');
  await eventually(() => {
    const turns = receiver.spans.filter(({ name }) => name === 'invoke_agent chatd');
    expect(turns.map(({ parentSpanId }) => parentSpanId)).toEqual([request.spanId, next.spanId]);
  });
  expect(next.traceId).not.toBe(trace);
});

test('a refused request is a span without an error; health checks have no span', async () => {
  await owner.refused('getChat', { params: { chat_id: 'none' } });
  await fetch(`${server.url}/healthz`);
  await owner.ok('getMe');
  await receiver.span('GET /users/me');
  const { status, attributes } = await receiver.span('GET /chats/{chat_id}');
  expect(receiver.spans.filter(({ name }) => name.includes('healthz'))).toEqual([]);
  expect(attributes['error.type']).toBeUndefined();
  expect(status.code ?? 0).toBe(0);
});

test('the metrics include those of workers, streams, and the bus', async () => {
  provider.answer(answer([says('Hi!')]));
  await talk('Hello');
  // Metrics that the database does not return within a second are left out.
  await eventually(async () => {
    const { text } = await admin.send('GET', '/metrics');
    for (const sample of [
      /^chatd_turns_total\{outcome="finished"\} \d/m,
      /^chatd_steps_total [1-9]/m,
      /^chatd_model_call_duration_seconds_count\{provider="anthropic",purpose="turn",outcome="completed"\} [1-9]/m,
      /^chatd_time_to_first_token_seconds_count\{provider="anthropic"\} [1-9]/m,
      /^chatd_chats\{status="waiting"\} \d/m,
      /^chatd_chats_running \d/m,
      /^chatd_chats_queued_for_capacity 0/m,
      /^chatd_acquisition_wait_seconds_count [1-9]/m,
      /^chatd_stream_clients\{transport="sse"\} 0/m,
      /^chatd_bus_published_total [1-9]/m,
      /^chatd_bus_dropped_total 0/m,
      /^chatd_event_loop_delay_seconds\{kind="p99"\}/m,
    ]) {
      expect(text).toMatch(sample);
    }
  });
});

test('a failed turn is logged with its kind and without message content', async () => {
  provider.answer(fault.status(401));
  const chatId = await talk('My private question', {}, 'error');
  const [line = ''] = await eventually(() => {
    const lines = logged.filter((one) => one.includes('turn failed'));
    expect(lines).toHaveLength(1);
    return lines;
  });
  expect(JSON.parse(line)).toMatchObject({
    level: 40,
    chat_id: chatId,
    kind: 'auth',
    provider: 'Fake',
    status_code: 401,
  });
  expect(logged.join('')).not.toMatch(/private question|planted/);
});

test('an admin enables the debug record, and reads and deletes that of any chat', async () => {
  provider.answer(answer([says('1')]), answer([says('2')]));
  const before = await talk('before');
  await admin.ok('updateSettings', { body: { debug_record: { enabled: true } } });
  const { debug_record } = await admin.ok('getSettings');
  expect(debug_record).toEqual({ enabled: true, retention_hours: 24 });
  const during = await talk(`the key is ${KEY}`);
  const { entries } = await eventually(async () => {
    const page = await admin.ok('listDebugEntries', { params: { chat_id: during } });
    expect(page.entries).toHaveLength(1);
    return page;
  });
  expect(entries).toMatchObject([{ chat_id: during, model_config_id, outcome: 'completed' }]);
  expect(JSON.stringify(entries)).toContain('the key is [hidden]');
  expect(JSON.stringify(entries)).not.toContain('planted');
  expect(logged.filter((line) => line.includes('reads the debug record'))).not.toEqual([]);

  const none = await admin.ok('listDebugEntries', { params: { chat_id: before } });
  expect(none).toEqual({ entries: [], next_cursor: null });
  for (const member of [owner, stranger]) {
    expect(await member.refusal('listDebugEntries', { params: { chat_id: during } })).toBe(
      '403 admin_required',
    );
  }
  await admin.ok('deleteDebugEntries', { params: { chat_id: during } });
  const after = await admin.ok('listDebugEntries', { params: { chat_id: during } });
  expect(after.entries).toEqual([]);
  expect(logged.join('')).toContain('an admin deletes the debug record of a chat');
});

test('the debug record comes in pages, newest first', async () => {
  await admin.ok('updateSettings', { body: { debug_record: { enabled: true } } });
  provider.answer(answer([says('1')]), answer([says('2')]), answer([says('3')]));
  const chat_id = await talk('one');
  for (const [index, content] of ['two', 'three'].entries()) {
    await owner.ok('sendMessage', { params: { chat_id }, body: { content } });
    await eventually(async () => {
      const { entries } = await admin.ok('listDebugEntries', { params: { chat_id } });
      expect(entries).toHaveLength(index + 2);
    });
  }
  const first = await admin.ok('listDebugEntries', { params: { chat_id }, query: { limit: 2 } });
  const cursor = first.next_cursor ?? '';
  const rest = await admin.ok('listDebugEntries', { params: { chat_id }, query: { cursor } });
  const said = [...first.entries, ...rest.entries].map(({ response }) =>
    /"text":"(\d)"/.exec(JSON.stringify(response.parts))?.at(1),
  );
  expect(said).toEqual(['3', '2', '1']);
  expect(rest.next_cursor).toBeNull();
});

test('an invalid retention is refused', async () => {
  for (const retention_hours of [0, 721, 1.5, null]) {
    const body = { debug_record: { enabled: true, retention_hours } };
    expect(await admin.refusal('updateSettings', { body })).toBe('400 invalid_body');
  }
});
