import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { API_PREFIX, ChatEvent } from '@chatd/protocol';
import { afterAll, describe, expect, test } from 'vitest';
import { hintOf } from '../../src/store/change.ts';
import { openPostgresBus } from '../../src/bus/open-bus.ts';
import { silent } from '../bus/world.ts';
import { ApiClient, rawRequest, startTestServer } from '@chatd/test-server';
import { eventually } from '@chatd/test-server/eventually';
import { says } from '@chatd/test-server/database';
import { type Connection, eventStream, refusedUpgrade, webSocket } from './clients.ts';
import { Replica } from './replica.ts';
import { RunningChat } from './running-chat.ts';

const server = await startTestServer(
  {},
  { streams: { timing: { revokedMs: 50 }, streamsPerHolder: 20 } },
);
const { admin, owner, stranger, store } = server;

// The chats run on another replica: the server gets all their events over the bus.
const bus = await openPostgresBus({ url: server.databaseUrl, log: silent });
const replica = await Replica.start(store, bus);
store.listeners.add((change) => bus.publish('changes', { ...hintOf(change) }));
afterAll(async () => {
  await replica.close();
  await bus.close();
});

const pathOf = (chatId: string) => `/chats/${chatId}/stream`;
const types = ({ received }: Connection) =>
  received.events.flatMap(({ type }) => (type === undefined || type === 'ping' ? [] : [type]));

describe.each([
  ['Server-Sent Events', eventStream],
  ['a WebSocket', webSocket],
])('over %s', (_, open) => {
  test('a client follows a turn on another replica live to its end', async () => {
    const chat = await RunningChat.create(replica);
    const connection = await open(owner, pathOf(chat.id));
    await connection.received.until((received) =>
      received.events.some(({ status }) => status === 'running'),
    );
    await chat.beginAttempt();
    chat.say('hel', 'lo');
    await connection.received.until(({ events }) => events.some(({ seq }) => seq === 2));
    await chat.commit(says('hello'));
    await chat.finish();
    await connection.received.until(({ events }) =>
      events.some(({ status }) => status === 'waiting'),
    );
    const parts = types(connection).filter((type) => type === 'message_part');
    expect(types(connection)).toEqual([
      'message',
      'queue_update',
      'status',
      ...parts,
      'message',
      'preview_reset',
      'status',
    ]);
    for (const event of connection.received.events) {
      expect(ChatEvent.parse(event)).toEqual(event);
      expect(event['chat_id']).toBe(chat.id);
    }
    connection.close();
  });

  test('a client that reconnects with a cursor gets the remaining events', async () => {
    const chat = await RunningChat.create(replica);
    await chat.beginAttempt();
    chat.say('a', 'b');
    const first = await open(owner, pathOf(chat.id));
    await first.received.until(({ events }) => events.some(({ seq }) => seq === 2));
    first.close();
    chat.say('c');
    const cursor = String(
      first.received.events.findLast(({ type }) => type !== 'ping')?.['cursor'],
    );
    const second = await open(owner, pathOf(chat.id), { query: `?after=${cursor}` });
    await second.received.until(({ events }) => events.some(({ seq }) => seq === 3));
    expect(types(second)).toEqual(['message_part']);
    second.close();
    const third = await open(owner, pathOf(chat.id), {
      query: '?after=garbage',
      headers: { 'last-event-id': cursor },
    });
    await third.received.until(({ events }) => events.some(({ seq }) => seq === 3));
    expect(types(third)).toEqual(['message_part']);
    third.close();
  });

  test('a client can follow a long chat without its full history', async () => {
    const chat = await RunningChat.create(replica);
    for (let step = 0; step < 5; step += 1) await chat.commit(says(`step ${step}`));
    const [first] = await store.history(chat.id);
    for (const [query, messages] of [
      ['?tail=2', 2],
      ['?tail=0', 0],
      [`?after_id=${first?.id}`, 5],
      // A client that has seen nothing.
      ['?after_id=0', 6],
      ['?after_id=0&tail=2', 6],
    ] as const) {
      const connection = await open(owner, pathOf(chat.id), { query });
      await connection.received.until(({ events }) => events.some(({ type }) => type === 'status'));
      const expected = [...Array<string>(messages).fill('message'), 'queue_update', 'status'];
      expect(types(connection)).toEqual(expected);
      connection.close();
    }
  });

  test('an idle connection gets keep-alives and ping events', async () => {
    const lively = await startTestServer(
      {},
      { streams: { timing: { keepAliveMs: 300, pingMs: 100 } } },
    );
    const { id } = await lively.store.create();
    const connection = await open(lively.owner, pathOf(id));
    await connection.received.until(
      ({ comments, events }) => comments > 1 && events.filter((e) => e.type === 'ping').length > 1,
    );
    connection.close();
  });

  test('revoking a token closes its streams', async () => {
    const { id } = await store.create();
    const { id: token_id, token } = await owner.ok('createToken', { body: { name: 'short' } });
    const connection = await open(server.as(token), pathOf(id));
    await connection.received.until(({ events }) => events.length > 0);
    await owner.ok('deleteToken', { params: { token_id } });
    await connection.received.ended();
    const watching = await open(owner, '/watch');
    await watching.received.until(({ events }) => events.length > 0);
    expect(watching.received.end).toBeUndefined();
    watching.close();
  });

  test('the number of concurrent streams per token is limited', async () => {
    const { id } = await store.create();
    const { token } = await owner.ok('createToken', { body: { name: 'greedy' } });
    const greedy = server.as(token);
    const connections: Connection[] = [];
    for (let index = 0; index < 20; index += 1) {
      connections.push(await open(greedy, index % 2 === 0 ? pathOf(id) : '/watch'));
    }
    const refusal = await greedy.refused('streamChat', { params: { chat_id: id } });
    expect(refusal).toMatchObject({ status: 429, code: 'too_many_requests' });
    expect(refusal.headers.get('retry-after')).toBe('5');
    expect(await greedy.refusal('watchChats')).toBe('429 too_many_requests');
    connections.pop()?.close();
    await eventually(async () => connections.push(await open(greedy, pathOf(id))));
    for (const connection of connections) connection.close();
  });

  test('a user watches changes to all their chats', async () => {
    const { token } = await admin.ok('createToken', {
      body: { name: 'w', user_id: store.owner },
    });
    const before = await store.create({ title: 'before' });
    const connection = await open(server.as(token), '/watch');
    const { received } = connection;
    await received.until(({ events }) => events[0]?.type === 'snapshot');
    const titles = ((received.events[0]?.['chats'] ?? []) as { title: string }[]).map(
      ({ title }) => title,
    );
    expect(titles).toContain('before');

    const untilEvent = (type: string, title: string) =>
      received.until(({ events }) =>
        events.some(
          (event) => event.type === type && (event['chat'] as { title: string }).title === title,
        ),
      );
    await store.create({ title: 'new' });
    await untilEvent('created', 'new');
    await store.client.update(before.id, { title: 'renamed' });
    await untilEvent('title_change', 'renamed');
    await store.client.interrupt(before.id);
    await untilEvent('status_change', 'renamed');
    const chat = await RunningChat.take(replica, before.id);
    await store.runner.finishInterruption(chat.id, chat.fence, { messages: [], attempt: 0 });
    await store.client.delete(before.id);
    await untilEvent('deleted', 'renamed');
    connection.close();
  });

  test('watching includes subagents, listed after their root chats', async () => {
    const root = await store.create({ title: 'a parent' });
    const child = await store.create({ title: 'an agent', parent: root });
    const connection = await open(owner, '/watch');
    const { received } = connection;
    await received.until(({ events }) => events[0]?.type === 'snapshot');
    const ids = ((received.events[0]?.['chats'] ?? []) as { id: string }[]).map(({ id }) => id);
    expect(ids.indexOf(root.id)).toBeGreaterThanOrEqual(0);
    expect(ids.indexOf(child.id)).toBeGreaterThan(ids.indexOf(root.id));
    await store.client.update(child.id, { title: 'their agent' });
    await received.until(({ events }) =>
      events.some(({ chat }) => (chat as { title: string } | undefined)?.title === 'their agent'),
    );
    connection.close();
  });

  test("only an admin with all=true watches other users' chats", async () => {
    const theirs = await open(stranger, '/watch');
    const mine = await open(admin, '/watch');
    const all = await open(admin, '/watch', { query: '?all=true' });
    for (const { received } of [theirs, mine, all]) {
      await received.until(({ events }) => events[0]?.type === 'snapshot');
    }
    const { id } = await store.create();
    await all.received.until(({ events }) =>
      events.some(
        (event) => event.type === 'created' && (event['chat'] as { id: string }).id === id,
      ),
    );
    const own = await stranger.ok('createChat', { body: { content: 'mine' } });
    await theirs.received.until(({ events }) => events.some(({ type }) => type === 'created'));
    const seen = theirs.received.events.flatMap((event) =>
      event['chat'] === undefined ? [] : [(event['chat'] as { id: string }).id],
    );
    expect(new Set(seen)).toEqual(new Set([own.id]));
    expect(mine.received.events.filter(({ type }) => type === 'created')).toEqual([]);
    expect(server.logged.some((line) => line.includes('watches the chats of all users'))).toBe(
      true,
    );
    for (const connection of [theirs, mine, all]) connection.close();
  });
});

test('an event stream is not cached, buffered or compressed, and its event ids are cursors', async () => {
  const { id } = await store.create();
  const connection = await eventStream(owner, pathOf(id), {
    headers: { 'accept-encoding': 'gzip, br' },
  });
  const { response, received } = connection;
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  });
  expect(response.headers.get('content-encoding')).toBeNull();
  await received.until(({ events }) => events.length >= 3);
  expect(received.ids).toEqual(received.events.map(({ cursor }) => cursor));
  connection.close();
});

test('HEAD returns the headers without a stream', async () => {
  const { id } = await store.create();
  const { status, headers, text } = await owner.send('HEAD', `${API_PREFIX}${pathOf(id)}`);
  expect([status, text]).toEqual([200, '']);
  expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
});

test('an HTTP/1.0 client gets the events without chunked encoding', async () => {
  const { id } = await store.create();
  const { hostname, port, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `GET ${API_PREFIX}${pathOf(id)} HTTP/1.0\r\nhost: ${host}\r\nauthorization: ${owner.headers['authorization']}\r\n\r\n`,
  );
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await eventually(() => expect(text).toContain('"status":"running"'));
  const [head = '', body = ''] = text.split('\r\n\r\n');
  expect(head.toLowerCase()).not.toContain('transfer-encoding');
  expect(body).toMatch(/^id: \S+\ndata: \{/);
  socket.destroy();
});

describe('before a stream opens', () => {
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };
  const handshake = {
    ...upgrade,
    'sec-websocket-version': '13',
    'sec-websocket-key': 'x'.repeat(22) + '==',
  };

  test("another user's chat looks like one that does not exist", async () => {
    const { id } = await store.create();
    const plain = await stranger.call('streamChat', { params: { chat_id: id } });
    for (const chatId of [id, randomUUID()]) {
      const { status, headers, text } = await refusedUpgrade(stranger, pathOf(chatId));
      expect(status).toBe(404);
      expect(text).toBe(plain.text);
      expect(headers['content-type']).toBe('application/problem+json');
    }
  });

  test('a request without a token is refused', async () => {
    const { id } = await store.create();
    expect((await refusedUpgrade(server.anonymous, pathOf(id))).status).toBe(401);
    expect((await refusedUpgrade(server.anonymous, '/watch')).status).toBe(401);
  });

  test('a page of another site cannot use the cookie', async () => {
    const username = `browser-${randomUUID()}`;
    await admin.ok('createUser', { body: { username, password: 'correct horse' } });
    const body = { username, password: 'correct horse' };
    const { headers } = await server.anonymous.call('signIn', { body });
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
    const foreign = new ApiClient(server.url, { cookie, origin: 'https://evil.test' });
    const refused = await refusedUpgrade(foreign, '/watch');
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('origin_not_allowed');
    expect((await refusedUpgrade(new ApiClient(server.url, { cookie }), '/watch')).status).toBe(
      403,
    );
    const own = new ApiClient(server.url, { cookie, origin: server.url });
    const connection = await webSocket(own, '/watch');
    await connection.received.until(({ events }) => events.length > 0);
    connection.close();
  });

  test('a host that is not allowed is refused', async () => {
    const refused = await refusedUpgrade(owner, '/watch', { headers: { host: 'evil.test' } });
    expect(refused.status).toBe(421);
  });

  test.each(['garbage', '1.00000000.1.0.1.1.0.2.0', 'x'.repeat(500)])(
    'the cursor %s is refused',
    async (after) => {
      const { id } = await store.create();
      const input = { params: { chat_id: id }, query: { after } };
      expect(await owner.refusal('streamChat', input)).toBe('400 invalid_cursor');
      const refused = await refusedUpgrade(owner, pathOf(id), { query: `?after=${after}` });
      expect(refused.status).toBe(400);
      expect(refused.text).toContain('invalid_cursor');
    },
  );

  test('an unknown or invalid query parameter is refused', async () => {
    const { id } = await store.create();
    const input = { params: { chat_id: id }, query: { since: 'x' } };
    expect(await owner.refusal('streamChat', input)).toBe('400 unknown_field');
    expect(await owner.refusal('watchChats', { query: { all: 'maybe' } })).toBe(
      '400 invalid_query',
    );
    expect(await owner.refusal('watchChats', { query: { all: true } })).toBe('403 admin_required');
  });

  test('a request that cannot be upgraded gets an HTTP response', async () => {
    const headers = { ...owner.headers, ...upgrade } as Record<string, string>;
    const { status, text } = await rawRequest(server.url, {
      path: `${API_PREFIX}/users/me`,
      headers: { ...headers, ...handshake },
    });
    expect([status, JSON.parse(text)]).toMatchObject([200, { id: store.owner }]);
    const h2c = await rawRequest(server.url, {
      path: `${API_PREFIX}/users/me`,
      headers: { ...headers, upgrade: 'h2c' },
    });
    expect(h2c.status).toBe(200);
    const { id } = await store.create();
    const without = await rawRequest(server.url, {
      path: `${API_PREFIX}${pathOf(id)}`,
      headers,
    });
    expect(without.status).toBe(400);
  });
});

test('a client that does not read is disconnected and does not delay others', async () => {
  // Longer than a busy machine delays a client that does read.
  const impatient = await startTestServer({}, { streams: { timing: { stallMs: 3000 } } });
  const there = await openPostgresBus({ url: impatient.databaseUrl, log: silent });
  const running = await Replica.start(impatient.store, there);
  impatient.store.listeners.add((change) => there.publish('changes', { ...hintOf(change) }));
  const chat = await RunningChat.create(running);
  const { hostname, port, host } = new URL(impatient.url);
  const deaf = connect(Number(port), hostname);
  deaf.pause();
  deaf.write(
    `GET ${API_PREFIX}${pathOf(chat.id)} HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${impatient.owner.headers['authorization']}\r\n\r\n`,
  );
  const closed = once(deaf, 'close');
  const quick = await eventStream(impatient.owner, pathOf(chat.id));
  // More than the socket buffers of a connection hold.
  const message = 'x'.repeat(1_000_000);
  for (let index = 0; index < 16; index += 1) await chat.commit(says(message));
  await quick.received.until(
    ({ events }) => events.filter((e) => e.type === 'message').length > 16,
  );
  await eventually(() =>
    expect(impatient.logged.join()).toContain('disconnecting a client that does not read'),
  );
  deaf.resume();
  await closed;
  quick.close();
  await running.close();
  await there.close();
});

test('a server that shuts down closes its streams', async () => {
  const stopping = await startTestServer();
  const { id } = await stopping.store.create();
  const events = await eventStream(stopping.owner, pathOf(id));
  const messages = await webSocket(stopping.owner, pathOf(id));
  const watching = await webSocket(stopping.owner, '/watch');
  for (const { received } of [events, messages, watching]) {
    await received.until((all) => all.events.length > 0);
  }
  await stopping.close();
  await events.received.ended();
  await messages.received.until(({ end }) => end?.code === 1001);
  await watching.received.until(({ end }) => end?.code === 1001);
});

test('the OpenAPI description includes the streams', async () => {
  const response = await fetch(`${server.url}/openapi.json`);
  const { paths } = (await response.json()) as {
    paths: Record<string, { get: { responses: Record<string, { content: object }> } }>;
  };
  for (const path of ['/chats/{chat_id}/stream', '/watch']) {
    const { responses } = paths[`${API_PREFIX}${path}`]?.get ?? { responses: {} };
    expect(Object.keys(responses['200']?.content ?? {})).toEqual(['text/event-stream']);
  }
});
