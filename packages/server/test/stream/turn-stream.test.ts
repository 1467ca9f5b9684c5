import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { API_PREFIX, Chat, routes, turnEvent } from '@chatd/protocol';
import { afterAll, describe, expect, test } from 'vitest';
import { openPostgresBus } from '../../src/bus/open-bus.ts';
import type { ChatRow, MessageRow } from '../../src/chat/row.ts';
import { hintOf } from '../../src/store/change.ts';
import { silent } from '../bus/world.ts';
import { type ApiClient, startTestServer } from '@chatd/test-server';
import { inState } from '../store/state-fixtures.ts';
import { eventually } from '@chatd/test-server/eventually';
import { calls, dump, NEW_CHAT, results, says } from '@chatd/test-server/database';
import { type Connection, eventStream, type Received } from './clients.ts';
import { HOLDER, Replica } from './replica.ts';
import { RunningChat } from './running-chat.ts';
import { Seen, Viewer } from './viewer.ts';

const LIMIT = 60;
const server = await startTestServer(
  {},
  { streams: { timing: { revokedMs: 50 }, streamsPerHolder: LIMIT } },
);
const { databaseUrl, owner, stranger, store } = server;

// The chats run on another replica: the server gets all their events over the bus.
const bus = await openPostgresBus({ url: databaseUrl, log: silent });
const replica = await Replica.start(store, bus);
store.listeners.add((change) => bus.publish('changes', { ...hintOf(change) }));
afterAll(async () => {
  await replica.close();
  await bus.close();
});

type Event = Received['events'][number];

const messagesOf = (chatId: string) => `/chats/${chatId}/messages`;
const keyed = (key: string) => ({ 'idempotency-key': key });
const types = ({ received }: Connection) => received.events.map(({ type }) => type);
const responseOf = ({ received }: Connection) => received.events[0]?.['body'];

const create = (headers = {}, client: ApiClient = owner) =>
  eventStream(client, '/chats', { body: { content: 'first' }, headers });
const send = (chatId: string, body: object = {}, headers = {}) =>
  eventStream(owner, messagesOf(chatId), { body: { content: 'next', ...body }, headers });

async function chatOf(connection: Connection): Promise<string> {
  await connection.received.until(({ events }) => events.length > 0);
  return Chat.parse(responseOf(connection)).id;
}

/** A turn with one response. */
async function answer(chatId: string, text: string): Promise<void> {
  const chat = await RunningChat.take(replica, chatId);
  await chat.commit(says(text));
  await chat.finish();
}

/** The state of a client after these events, without the response. */
function seenIn(events: readonly Event[]): Seen {
  const seen = new Seen();
  for (const event of events) {
    if (event.type !== 'response') seen.take(JSON.stringify(event));
  }
  seen.check();
  return seen;
}

const roles = ({ messages }: Seen) => [...messages.values()].map(({ role }) => role);
const texts = ({ messages }: Seen) =>
  [...messages.values()].flatMap(({ content }) =>
    content.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  );

describe('a request that accepts an event stream', () => {
  test('creates a chat and streams its turn to the end', async () => {
    const connection = await create();
    expect(connection.response.status).toBe(201);
    expect(connection.response.headers.get('content-type')).toBe(
      'text/event-stream; charset=utf-8',
    );
    const chatId = await chatOf(connection);
    const chat = await RunningChat.take(replica, chatId);
    await chat.beginAttempt();
    chat.say('hel', 'lo');
    await connection.received.until(({ events }) => events.some(({ seq }) => seq === 2));
    await chat.commit(says('hello'));
    await chat.finish();
    await connection.received.ended();
    const parts = types(connection).filter((type) => type === 'message_part');
    expect(types(connection)).toEqual([
      'response',
      'message',
      'queue_update',
      'status',
      ...parts,
      'message',
      'preview_reset',
      'status',
    ]);
    const { events, ids } = connection.received;
    expect(ids).toEqual(events.map(({ cursor }) => cursor));
    for (const event of events) {
      expect(turnEvent(Chat).parse(event)).toEqual(event);
      expect(event['chat_id']).toBe(chatId);
    }
    expect(events.at(-1)).toMatchObject({ type: 'status', status: 'waiting' });
  });

  test('gets the same events and cursors as streamChat', async () => {
    const connection = await create();
    const chatId = await chatOf(connection);
    const plain = await eventStream(owner, `/chats/${chatId}/stream`);
    await plain.received.until(({ events }) => events.some(({ type }) => type === 'status'));
    await answer(chatId, 'hello');
    await connection.received.ended();
    const length = connection.received.events.length - 1;
    await plain.received.until(({ events }) => events.length >= length);
    expect(connection.received.events.slice(1)).toEqual(plain.received.events.slice(0, length));
    plain.close();
  });

  test('sends a message and gets the events after it', async () => {
    const { chatId } = await inState(store, 'waiting');
    const connection = await send(chatId);
    expect(connection.response.status).toBe(201);
    await connection.received.until(({ events }) => events.length > 0);
    const body = routes.sendMessage.answers[201].parse(responseOf(connection));
    expect(body).toMatchObject({ queued: false, message: { role: 'user' } });
    await answer(chatId, 'second');
    await connection.received.ended();
    const seen = seenIn(connection.received.events);
    expect([texts(seen), seen.status]).toEqual([['second'], 'waiting']);
  });

  test('does not end at a status from before its message', async () => {
    const { chatId } = await inState(store, 'waiting');
    // The server has the state of the idle chat in memory.
    const plain = await eventStream(owner, `/chats/${chatId}/stream`);
    await plain.received.until(({ events }) => events.some(({ type }) => type === 'status'));
    for (const text of ['one', 'two', 'three']) {
      const connection = await send(chatId);
      await answer(chatId, text);
      await connection.received.ended();
      expect(texts(seenIn(connection.received.events))).toEqual([text]);
    }
    plain.close();
  });

  test('leaves the connection open for the next request', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<Socket>();
    const turn = (): Promise<string> => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const headers = {
        ...owner.headers,
        accept: 'text/event-stream',
        'content-type': 'application/json',
      };
      const url = `${server.url}${API_PREFIX}/chats`;
      const sent = request(url, { method: 'POST', agent, headers }, (response) => {
        sockets.add(response.socket);
        let text = '';
        let taken = false;
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
          const [, id] = /"chat_id":"([^"]+)"/.exec(text) ?? [];
          if (taken || id === undefined) return;
          taken = true;
          answer(id, 'done').catch(reject);
        });
        response.on('end', () => resolve(text));
      });
      sent.on('error', reject);
      sent.end(JSON.stringify({ content: 'first' }));
      return promise;
    };
    for (let index = 0; index < 15; index += 1) {
      expect(await turn()).toContain('"status":"waiting"');
    }
    const [socket] = sockets;
    expect([sockets.size, socket?.destroyed]).toEqual([1, false]);
    agent.destroy();
  });

  test.each([
    ['text/event-stream', true],
    ['text/event-stream, */*', true],
    ['Text/Event-Stream; q=0.9, application/json; q=0.5', true],
    ['application/json, text/event-stream', false],
    ['text/event-stream;q=0', false],
    ['*/*', false],
    ['text/plain', false],
  ])('with Accept: %s, a stream: %s', async (accept, streamed) => {
    const { chatId } = await inState(store, 'requires_action');
    const connection = await send(chatId, {}, { accept });
    const type = connection.response.headers.get('content-type');
    expect(type?.startsWith('text/event-stream')).toBe(streamed);
    connection.close();
  });
});

describe('the stream of a turn ends', () => {
  test('when the turn of a queued message ends', async () => {
    const { id: chatId } = await RunningChat.create(replica);
    const connection = await send(chatId);
    expect(connection.response.status).toBe(202);
    await connection.received.until(({ events }) => events.length > 0);
    const body = routes.sendMessage.answers[202].parse(responseOf(connection));
    await answer(chatId, 'first turn');
    await answer(chatId, 'second turn');
    await connection.received.ended();
    const seen = seenIn(connection.received.events);
    expect(roles(seen)).toEqual(['assistant', 'user', 'assistant']);
    expect([...seen.messages.values()][1]?.queued_message_id).toBe(body.queued_message.id);
    expect([seen.status, seen.queued]).toEqual(['waiting', []]);
  });

  test('when the turn of a steering message ends', async () => {
    const { id: chatId } = await RunningChat.create(replica);
    const connection = await send(chatId, { busy_behavior: 'steer' });
    const chat = await RunningChat.take(replica, chatId);
    await chat.commit(calls('s1'));
    await chat.commit(results('s1'));
    const { history_version } = await store.read(chatId);
    chat.fence = { ...chat.fence, history_version };
    await chat.commit(says('steered'));
    await chat.finish();
    await connection.received.ended();
    const seen = seenIn(connection.received.events);
    expect(roles(seen)).toEqual(['assistant', 'tool', 'user', 'assistant']);
  });

  test('when the turn of an interrupting message ends', async () => {
    const { id: chatId } = await RunningChat.create(replica);
    const connection = await send(chatId, { busy_behavior: 'interrupt' });
    expect(connection.response.status).toBe(202);
    const chat = await RunningChat.take(replica, chatId);
    await store.runner.finishInterruption(chatId, chat.fence, { messages: [], attempt: 0 });
    await answer(chatId, 'instead');
    await connection.received.ended();
    const seen = seenIn(connection.received.events);
    expect([roles(seen), texts(seen)]).toEqual([
      ['user', 'assistant'],
      ['next', 'instead'],
    ]);
  });

  test('when the turn is interrupted', async () => {
    const connection = await create();
    const chatId = await chatOf(connection);
    const chat = await RunningChat.take(replica, chatId);
    await owner.ok('interruptChat', { params: { chat_id: chatId } });
    await store.runner.finishInterruption(chatId, chat.fence, { messages: [], attempt: 0 });
    await connection.received.ended();
    expect(connection.received.events.at(-1)).toMatchObject({ status: 'waiting' });
  });

  test('with the error when the turn fails', async () => {
    const connection = await create();
    const chat = await RunningChat.take(replica, await chatOf(connection));
    const error = { kind: 'generic', message: 'It broke.', retryable: false } as const;
    await store.runner.fail(chat.id, chat.fence, error);
    await connection.received.ended();
    expect(connection.received.events.slice(-2)).toMatchObject([
      { type: 'status', status: 'error' },
      { type: 'error', error: { message: 'It broke.' } },
    ]);
  });

  test('with the calls when the turn requires an action, and can be resumed from the cursor', async () => {
    const connection = await create();
    const chat = await RunningChat.take(replica, await chatOf(connection));
    await chat.commit(calls('c1'));
    await store.runner.requireAction(chat.id, chat.fence, { c1: 'dynamic' }, 0);
    await connection.received.ended();
    const last = connection.received.events.at(-1);
    expect(last).toMatchObject({ type: 'action_required', tool_calls: [{ tool_call_id: 'c1' }] });
    await owner.ok('submitToolResults', {
      params: { chat_id: chat.id },
      body: { results: [{ tool_call_id: 'c1', output: 3 }] },
    });
    await answer(chat.id, 'three');
    const query = `?after=${String(last?.['cursor'])}`;
    const rest = await eventStream(owner, `/chats/${chat.id}/stream`, { query });
    await rest.received.until(({ events }) => events.some((e) => e['status'] === 'waiting'));
    rest.close();
    const seen = seenIn([...connection.received.events, ...rest.received.events]);
    expect(roles(seen)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });

  test('immediately if the message waits behind an action', async () => {
    const { chatId } = await inState(store, 'requires_action');
    const connection = await send(chatId);
    await connection.received.ended();
    expect(types(connection)).toEqual(['response', 'queue_update', 'status', 'action_required']);
    expect(connection.response.status).toBe(202);
  });

  test('after the turn of an edited message', async () => {
    const connection = await create();
    const chatId = await chatOf(connection);
    await connection.received.until(({ events }) => events.some(({ type }) => type === 'status'));
    const [first] = await store.history(chatId);
    await owner.ok('editMessage', {
      params: { chat_id: chatId, message_id: first?.id ?? 0 },
      body: { content: 'edited' },
    });
    await answer(chatId, 'to the edit');
    await connection.received.ended();
    const seen = seenIn(connection.received.events);
    expect(types(connection)).toContain('history_reset');
    expect(texts(seen)).toEqual(['edited', 'to the edit']);
  });

  test('when the token is revoked', async () => {
    const { id: token_id, token } = await owner.ok('createToken', { body: { name: 'short' } });
    const connection = await create({}, server.as(token));
    await chatOf(connection);
    await owner.ok('deleteToken', { params: { token_id } });
    await connection.received.ended();
    expect(connection.received.events.at(-1)).not.toMatchObject({ status: 'waiting' });
  });

  test('when the server shuts down, after the response', async () => {
    const other = await startTestServer();
    const connection = await eventStream(other.owner, '/chats', { body: { content: 'first' } });
    const chatId = await chatOf(connection);
    await other.close();
    await connection.received.ended();
    expect((await other.store.read(chatId)).status).toBe('running');
  });
});

describe('the stream of a new chat', () => {
  test('starts without a database read, with the same events as one that reads', async () => {
    const local = await Replica.start(store, bus);
    const { chat, messages } = await store.creation.createRequested(
      { ...NEW_CHAT, id: randomUUID(), owner_id: store.owner },
      undefined,
    );
    const follow = async (created?: { chat: ChatRow; messages: readonly MessageRow[] }) => {
      const at = created === undefined ? replica : local;
      const viewer = new Viewer();
      const reservation = await at.streams.reserve(HOLDER);
      const start = { chat, after: 0, ...(created && { created }) };
      const prepared = reservation.followTurn(start, JSON.stringify({}));
      const shown: string[] = [];
      viewer.write = (frame) => shown.push(...frame.events.map(({ json }) => json));
      prepared.open(viewer);
      await eventually(() => expect(shown.at(-1)).toContain('"status":"running"'));
      viewer.cut();
      return shown;
    };
    const before = local.streams.stats.lookups;
    const known = await follow({ chat, messages });
    expect(local.streams.stats.lookups).toBe(before);
    expect(known).toEqual(await follow());
    expect(known).toHaveLength(4);
    await local.close();
  });
});

describe('a disconnected stream', () => {
  test('resumes after every event, while the turn runs and afterward', async () => {
    const connection = await create();
    const { received } = connection;
    const chatId = await chatOf(connection);
    const resumed: { readonly from: number; readonly rest: Connection }[] = [];
    const resume = async (from: number) => {
      const query = `?after=${String(received.events[from]?.['cursor'])}`;
      resumed.push({ from, rest: await eventStream(owner, `/chats/${chatId}/stream`, { query }) });
    };
    let next = 0;
    const resumeAll = async () => {
      for (; next < received.events.length; next += 1) await resume(next);
    };
    const until = async (done: (events: readonly Event[]) => boolean) => {
      await received.until(({ events }) => done(events));
      await resumeAll();
    };
    await until((events) => events.some(({ status }) => status === 'running'));
    const chat = await RunningChat.take(replica, chatId);
    await chat.beginAttempt();
    chat.say('let ', 'me');
    await until((events) => events.some(({ seq }) => seq === 2));
    chat.say(' see');
    await until((events) => events.some(({ seq }) => seq === 3));
    await chat.commit(calls('c1'));
    await until((events) => events.at(-1)?.type === 'preview_reset');
    await chat.commit(results('c1'));
    await chat.beginAttempt();
    chat.say('three');
    await until((events) => events.at(-1)?.type === 'message_part');
    await chat.commit(says('three'));
    await chat.finish();
    await received.ended();
    await resumeAll();
    // Again, now that the turn has ended.
    for (let from = 0; from < received.events.length; from += 1) await resume(from);
    const whole = seenIn(received.events);
    expect(roles(whole)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(resumed.length).toBeGreaterThan(20);
    for (const { from, rest } of resumed) {
      const before = received.events.slice(0, from + 1);
      if (from < received.events.length - 1) {
        await rest.received.until(({ events }) => events.some((e) => e['status'] === 'waiting'));
      }
      rest.close();
      const seen = seenIn([...before, ...rest.received.events]);
      expect([...seen.messages.values()], `from ${from}`).toEqual([...whole.messages.values()]);
      expect([seen.status, seen.live, seen.queued]).toEqual(['waiting', undefined, []]);
    }
  });
});

describe('a refused request gets a problem response and changes nothing:', () => {
  test('an archived chat', async () => {
    const { chatId } = await inState(store, 'archived');
    const input = { params: { chat_id: chatId }, body: { content: 'x' }, headers: SSE };
    expect(await owner.refusal('sendMessage', input)).toBe('409 chat_archived');
  });

  test("another user's chat, an invalid body", async () => {
    const { chatId } = await inState(store, 'waiting');
    const input = { params: { chat_id: chatId }, body: { content: 'x' }, headers: SSE };
    expect(await stranger.refusal('sendMessage', input)).toBe('404 not_found');
    expect(await owner.refusal('createChat', { body: {}, headers: SSE })).toBe('400 invalid_body');
  });

  test('a token without the read scope', async () => {
    const { token } = await owner.ok('createToken', { body: { name: 'w', scopes: ['write'] } });
    const writer = server.as(token);
    const before = await dump(databaseUrl);
    const input = { body: { content: 'x' }, headers: SSE };
    expect(await writer.refusal('createChat', input)).toBe('403 insufficient_scope');
    expect(await dump(databaseUrl)).toBe(before);
    await writer.ok('createChat', { body: { content: 'x' } });
  });

  test('too many streams, until a turn ends', async () => {
    const { token } = await owner.ok('createToken', { body: { name: 'greedy' } });
    const greedy = server.as(token);
    const connections: Connection[] = [];
    for (let index = 0; index < LIMIT; index += 1) connections.push(await create({}, greedy));
    const before = await dump(databaseUrl);
    const input = { body: { content: 'x' }, headers: SSE };
    expect(await greedy.refusal('createChat', input)).toBe('429 too_many_requests');
    expect(await dump(databaseUrl)).toBe(before);
    const [first] = connections;
    if (first === undefined) throw new Error('there is no stream');
    await answer(await chatOf(first), 'done');
    await first.received.ended();
    await eventually(async () => connections.push(await create({}, greedy)));
    // A refused request does not count as an open stream.
    connections.pop()?.close();
    for (let index = 0; index < 3; index += 1) {
      await eventually(async () => {
        expect(await greedy.refusal('createChat', { body: {}, headers: SSE })).toBe(
          '400 invalid_body',
        );
      });
    }
    await eventually(async () => connections.push(await create({}, greedy)));
    for (const connection of connections) connection.close();
  });
});

const SSE = { accept: 'text/event-stream' };

describe('a repeated Idempotency-Key', () => {
  test('replays the stream of a new chat, and creates it once', async () => {
    const key = keyed(randomUUID());
    const first = await create(key);
    const chatId = await chatOf(first);
    const twin = await create(key);
    expect(twin.response.status).toBe(201);
    expect(twin.response.headers.get('idempotency-replayed')).toBe('true');
    expect(await chatOf(twin)).toBe(chatId);
    await answer(chatId, 'hello');
    await Promise.all([first.received.ended(), twin.received.ended()]);
    const late = await create(key);
    await late.received.ended();
    for (const { received } of [twin, late]) {
      expect(received.events[0]?.['body']).toEqual(first.received.events[0]?.['body']);
      expect(texts(seenIn(received.events))).toEqual(['first', 'hello']);
    }
    const json = await owner.call('createChat', { body: { content: 'first' }, headers: key });
    expect(JSON.parse(json.text)).toEqual(responseOf(first));
  });

  test('replays the turn of a message from that message', async () => {
    const { chatId } = await inState(store, 'waiting');
    const key = keyed(randomUUID());
    const first = await send(chatId, {}, key);
    await answer(chatId, 'one');
    await first.received.ended();
    await owner.ok('sendMessage', { params: { chat_id: chatId }, body: { content: 'later' } });
    await answer(chatId, 'two');
    const late = await send(chatId, {}, key);
    await late.received.ended();
    expect(responseOf(late)).toEqual(responseOf(first));
    expect(texts(seenIn(late.received.events))).toEqual(['one', 'later', 'two']);
  });

  test('replays a queued message from its current position', async () => {
    const { id: chatId } = await RunningChat.create(replica);
    const key = keyed(randomUUID());
    const first = await send(chatId, {}, key);
    const waiting = await send(chatId, {}, key);
    await answer(chatId, 'first turn');
    await answer(chatId, 'second turn');
    await Promise.all([first.received.ended(), waiting.received.ended()]);
    const late = await send(chatId, {}, key);
    await late.received.ended();
    const whole = ['first turn', 'next', 'second turn'];
    expect(texts(seenIn(first.received.events))).toEqual(whole);
    expect(texts(seenIn(waiting.received.events))).toEqual(whole);
    expect(texts(seenIn(late.received.events))).toEqual(['next', 'second turn']);
    expect([first, waiting, late].map(({ response }) => response.status)).toEqual([202, 202, 202]);
  });

  test('sends concurrent duplicates once, and none of their streams ends before the turn', async () => {
    const { chatId } = await inState(store, 'waiting');
    const plain = await eventStream(owner, `/chats/${chatId}/stream`);
    await plain.received.until(({ events }) => events.some(({ type }) => type === 'status'));
    const key = keyed(randomUUID());
    const twins = await Promise.all(Array.from({ length: 8 }, () => send(chatId, {}, key)));
    await answer(chatId, 'once');
    for (const { received } of twins) {
      await received.ended();
      expect(texts(seenIn(received.events))).toEqual(['once']);
    }
    plain.close();
  });

  test('starts at the end of a history that was edited since, with a valid cursor', async () => {
    const { chatId, firstMessageId } = await inState(store, 'waiting');
    const key = keyed(randomUUID());
    const first = await send(chatId, {}, key);
    await answer(chatId, 'one');
    await first.received.ended();
    await owner.ok('editMessage', {
      params: { chat_id: chatId, message_id: firstMessageId },
      body: { content: 'edited' },
    });
    const late = await send(chatId, {}, key);
    await late.received.until(({ events }) => events.length > 0);
    const query = `?after=${String(late.received.events[0]?.['cursor'])}`;
    const rest = await eventStream(owner, `/chats/${chatId}/stream`, { query });
    await answer(chatId, 'to the edit');
    await late.received.ended();
    await rest.received.until(({ events }) => events.some((e) => e['status'] === 'waiting'));
    rest.close();
    expect(texts(seenIn(late.received.events))).toEqual(['to the edit']);
    expect(texts(seenIn(rest.received.events))).toEqual(['to the edit']);
  });

  test('gets only the response if the chat was deleted', async () => {
    const key = keyed(randomUUID());
    const first = await create(key);
    const chatId = await chatOf(first);
    await answer(chatId, 'hello');
    await first.received.ended();
    await owner.ok('deleteChat', { params: { chat_id: chatId } });
    const late = await create(key);
    await late.received.ended();
    expect(types(late)).toEqual(['response']);
  });
});
