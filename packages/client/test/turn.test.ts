import { answer, fault, gate, text, toolCall } from '@chatd/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ChatdUnreachable, type ConnectionState, createClient } from '../src/index.ts';
import { startCuttingProxy } from './support/cutting-proxy.ts';
import { hastyClock } from './support/hasty-clock.ts';
import { poll } from './support/poll.ts';
import { setUp, titled } from './support/server.ts';
import { events, problem, reset, standIn } from './support/stand-in.ts';
import { liveText, Viewer } from './support/viewer.ts';

const { client, clientOf, fake, server } = await setUp();

describe('a turn', () => {
  test('ends with the answer of the model', async () => {
    fake.answer(answer([text('Hello.')]), answer([text('Fine.')]));
    const { chat, turn } = await client.chats.begin(titled('hi'));
    expect(await turn.result()).toMatchObject({
      chatId: chat.id,
      status: 'waiting',
      text: 'Hello.',
    });
    const second = await client.chats.turn(chat.id, 'how are you?').result();
    expect(second).toMatchObject({ status: 'waiting', text: 'Fine.' });
    expect(second.messages.map(({ role }) => role)).toEqual(['assistant']);
  });

  test('can be followed live, and has its result afterwards', async () => {
    const seen = gate();
    fake.answer(answer([text(['a', seen, 'b'])]));
    const { turn } = await client.chats.begin(titled('hi'));
    let live = '';
    for await (const event of turn) {
      if (event.type === 'message_part' && event.part.type === 'text') live += event.part.text;
      // A client that connects after the answer sees no live parts.
      if (live === 'a') seen.release();
    }
    expect(live).toBe('ab');
    expect((await turn.result()).text).toBe('ab');
  });

  test('that fails has its error', async () => {
    fake.answer(fault.badKey());
    const { turn } = await client.chats.begin(titled('hi'));
    expect(await turn.result()).toMatchObject({
      status: 'error',
      error: { kind: 'auth' },
      text: '',
    });
  });

  test('of a queued message begins when the message is delivered', async () => {
    const pause = gate();
    fake.answer(answer([text(['one', pause])]), answer([text('two')]));
    const { chat, turn } = await client.chats.begin(titled('first'));
    await pause.reached;
    const queued = client.chats.turn(chat.id, 'second');
    const seen: string[] = [];
    const following = (async () => {
      for await (const event of queued) seen.push(event.type);
    })();
    await poll(async () => (await client.chats.messages(chat.id)).queued_messages).toHaveLength(1);
    pause.release();
    await following;
    expect(await queued.result()).toMatchObject({ text: 'two', status: 'waiting' });
    expect((await queued.result()).messages).toHaveLength(1);
    expect(await turn.result()).toMatchObject({ status: 'waiting' });
  });

  test('ends when it is interrupted', async () => {
    const pause = gate();
    fake.answer(answer([text(['partial', pause, 'never'])]));
    const { chat, turn } = await client.chats.begin(titled('hi'));
    const result = turn.result();
    // The server may not have received the text yet.
    const viewer = new Viewer(client, chat.id);
    await viewer.until((events) => liveText(events) === 'partial');
    await viewer.stop();
    await client.chats.interrupt(chat.id);
    expect(await result).toMatchObject({
      status: 'waiting',
      text: expect.stringContaining('partial') as string,
    });
  });

  test('of a missing chat throws the error of the server', async () => {
    const turn = client.chats.turn('01a1dfd2-0000-7000-8000-000000000000', 'hi');
    await expect(turn.result()).rejects.toMatchObject({ code: 'not_found' });
  });

  test('continues across tool calls', async () => {
    fake.answer(
      answer([text('Let me see.'), toolCall('lookup', {}, { id: 'toolu_l' })]),
      answer([text('Found.')]),
    );
    const { chat, turn } = await client.chats.begin({
      ...titled('look'),
      dynamic_tools: [{ name: 'lookup' }],
    });
    for await (const event of turn) {
      if (event.type !== 'action_required') continue;
      const results = event.tool_calls.map(({ tool_call_id }) => ({ tool_call_id, output: 'x' }));
      await client.chats.submitToolResults(chat.id, { results });
    }
    expect((await turn.result()).text).toBe('Found.');
  });
});

/** A client that records its requests. */
const recordingClient = () => {
  const requests: string[] = [];
  const recording = clientOf({
    fetch: (url, init) => {
      const accept = new Headers(init.headers).get('accept') ?? '';
      const path = new URL(url).pathname.replace(/[\w-]{36}/, 'ID');
      requests.push(`${init.method ?? 'GET'} ${path} ${accept}`);
      return fetch(url, init);
    },
  });
  return { requests, recording };
};

describe('the request of a turn', () => {
  test('is the only one', async () => {
    const { requests, recording } = recordingClient();
    fake.answer(answer([text('Hello.')]), answer([text('Fine.')]));
    const { chat, turn } = await recording.chats.begin(titled('hi'));
    await turn.result();
    await recording.chats.turn(chat.id, 'how are you?').result();
    expect(requests).toEqual([
      'POST /api/v1/chats text/event-stream',
      'POST /api/v1/chats/ID/messages text/event-stream',
    ]);
  });

  test('is followed immediately by a request for the rest when the turn waits for a tool', async () => {
    const { requests, recording } = recordingClient();
    fake.answer(answer([toolCall('lookup', {}, { id: 'toolu_l' })]), answer([text('Found.')]));
    const states: ConnectionState[] = [];
    const { chat, turn } = await recording.chats.begin(
      { ...titled('look'), dynamic_tools: [{ name: 'lookup' }] },
      { onConnection: (state) => states.push(state) },
    );
    for await (const event of turn) {
      if (event.type !== 'action_required') continue;
      const results = event.tool_calls.map(({ tool_call_id }) => ({ tool_call_id, output: 'x' }));
      await client.chats.submitToolResults(chat.id, { results });
    }
    expect((await turn.result()).text).toBe('Found.');
    expect(requests).toEqual([
      'POST /api/v1/chats text/event-stream',
      'GET /api/v1/chats/ID/stream text/event-stream',
    ]);
    expect(states.map(({ state }) => state)).toEqual(['connecting', 'live', 'connecting', 'live']);
  });

  test('is retried with its idempotency key until it has a response, and takes effect once', async () => {
    // The connections are cut before any byte, in the head, and in the first event.
    const cuts = [0, 1, 300, 800];
    const proxy = await startCuttingProxy(server.url, (connection) => cuts[connection]);
    onTestFinished(() => proxy.close());
    fake.answer(answer([text('Once.')]));
    const { clock } = hastyClock();
    const through = clientOf({ url: proxy.url, clock, retries: 10 });
    const title = `once ${Math.random()}`;
    const { chat, turn } = await through.chats.begin({ content: 'hi', title });
    expect((await turn.result()).text).toBe('Once.');
    expect(proxy.sent.length).toBeGreaterThanOrEqual(cuts.length);
    const { chats } = await client.chats.list({ q: title });
    expect(chats.map(({ id }) => id)).toEqual([chat.id]);
  });

  test('is not retried after an event: the stream resumes there', async () => {
    const response = { type: 'response', chat_id: 'c', cursor: '1', body: { id: 'c' } };
    const waiting = { type: 'status', chat_id: 'c', cursor: '2', status: 'waiting' };
    const stub = await standIn(
      reset,
      problem(503, 'unavailable'),
      (answering) => {
        events(`id: 1\ndata: ${JSON.stringify(response)}\n\n`, false)(answering);
        setTimeout(() => answering.destroy(), 50);
      },
      events(`id: 2\ndata: ${JSON.stringify(waiting)}\n\n`, false),
    );
    const { clock } = hastyClock();
    const states: string[] = [];
    const { turn } = await createClient({ url: stub.url, clock }).chats.begin('hi', {
      onConnection: ({ state }) => states.push(state),
    });
    expect(await turn.result()).toMatchObject({ chatId: 'c', status: 'waiting' });
    expect(stub.arrived.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/v1/chats',
      'POST /api/v1/chats',
      'POST /api/v1/chats',
      'GET /api/v1/chats/c/stream?after=1',
    ]);
    const keys = stub.arrived.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    // A request without a response is not a lost connection.
    expect(states).toEqual([
      'connecting',
      'connecting',
      'connecting',
      'live',
      'waiting',
      'connecting',
      'live',
    ]);
  });

  test('fails after the retries of the client, and immediately after a refusal', async () => {
    const { clock, waits } = hastyClock();
    const down = await standIn(reset);
    const gone = createClient({ url: down.url, clock, retries: 2 }).chats.begin('hi');
    await expect(gone).rejects.toBeInstanceOf(ChatdUnreachable);
    expect([down.arrived.length, waits.length]).toEqual([3, 2]);
    const full = await standIn(problem(429, 'queue_full'));
    const refused = createClient({ url: full.url, clock }).chats.turn('c', 'hi').result();
    await expect(refused).rejects.toMatchObject({ code: 'queue_full' });
    expect(full.arrived).toHaveLength(1);
  });

  test('rejects with the reason of its signal', async () => {
    const silent = await standIn(() => undefined);
    const stopping = new AbortController();
    const { signal } = stopping;
    const begun = createClient({ url: silent.url }).chats.begin('hi', { signal });
    await poll(() => Promise.resolve(silent.arrived)).toHaveLength(1);
    stopping.abort(new Error('enough'));
    await expect(begun).rejects.toThrow('enough');
  });
});
