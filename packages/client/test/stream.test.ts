import { ManualClock } from '@chatd/loop/testing';
import { answer, gate, text } from '@chatd/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { poll } from './support/poll.ts';
import {
  ChatdProblem,
  ChatdUnreachable,
  type ConnectionState,
  createClient,
} from '../src/index.ts';
import { hastyClock } from './support/hasty-clock.ts';
import { setUp, titled } from './support/server.ts';
import { events, problem, reset, standIn } from './support/stand-in.ts';
import { isStatus, liveText, Viewer } from './support/viewer.ts';

const { client, fake, clientOf } = await setUp();

const status = (id: string) =>
  `id: ${id}\ndata: {"type":"status","chat_id":"c","cursor":"${id}","status":"running"}\n\n`;

/** Follows a stream until it fails. */
async function readAll(url: string, options: Parameters<typeof createClient>[0] = {}) {
  const { clock, waits } = hastyClock();
  const states: ConnectionState[] = [];
  const seen: string[] = [];
  const stream = createClient({ url, clock, random: () => 0.5, ...options }).chats.stream('c', {
    onConnection: (state) => states.push(state),
  });
  const failure: unknown = await (async () => {
    for await (const event of stream) seen.push(event.cursor);
  })().catch((error: unknown) => error);
  return { seen, states, waits, failure };
}

describe('a stream', () => {
  test('begins with the whole chat and continues live', async () => {
    const pause = gate();
    fake.answer(answer([text(['Hel', pause, 'lo'])]));
    const { id } = await client.chats.create(titled('hi'));
    const viewer = new Viewer(client, id);
    await pause.reached;
    await viewer.until((seen) => liveText(seen) === 'Hel');
    pause.release();
    await viewer.until(isStatus('waiting'));
    await viewer.stop();
    expect(viewer.states).toEqual([{ state: 'connecting', attempt: 1 }, { state: 'live' }]);
    expect(viewer.events.filter(({ type }) => type === 'message')).toHaveLength(2);

    const cursor = viewer.events.at(-2)?.cursor;
    const back = new Viewer(client, id, { after: cursor });
    await back.until((seen) => seen.length > 0);
    await back.stop();
    expect(back.events).toEqual(viewer.events.slice(-1));

    const short = new Viewer(client, id, { tail: 1 });
    await short.until(isStatus('waiting'));
    await short.stop();
    expect(short.events.filter(({ type }) => type === 'message')).toHaveLength(1);
  });

  test('closes its connection when the consumer stops iterating', async () => {
    const stub = await standIn((response, request) => {
      request.socket.once('close', () => closed.resolve());
      events(status('1'), false)(response);
    });
    const closed = Promise.withResolvers<void>();
    for await (const event of createClient({ url: stub.url }).chats.stream('c')) {
      expect(event.cursor).toBe('1');
      break;
    }
    await closed.promise;
  });

  test('ends without an error when its signal is aborted, even during a wait', async () => {
    const clock = new ManualClock();
    const down = await standIn(reset);
    const stopping = new AbortController();
    const waiting = Promise.withResolvers<void>();
    const stream = createClient({ url: down.url, clock, random: () => 0.9 }).chats.stream('c', {
      signal: stopping.signal,
      onConnection: ({ state }) => state === 'waiting' && waiting.resolve(),
    });
    const next = stream.next();
    await waiting.promise;
    stopping.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(clock.pending).toEqual([]);
    for await (const _ of client.chats.stream('c', { signal: AbortSignal.abort() })) {
      expect.unreachable();
    }
  });

  test('reconnects with the cursor of the last complete event', async () => {
    const [first, second] = [status('1'), status('2')] as const;
    const stub = await standIn(
      events(first + second.slice(0, -1), true),
      events(second, true),
      problem(404, 'not_found'),
    );
    const { seen, failure } = await readAll(stub.url);
    expect(seen).toEqual(['1', '2']);
    expect(stub.arrived.map(({ path }) => path.split('?')[1])).toEqual([
      undefined,
      'after=1',
      'after=2',
    ]);
    expect(failure).toMatchObject({ code: 'not_found' });
  });

  test('reports its state, waits longer after each failure, and resets the delay after an event', async () => {
    const stub = await standIn(
      reset,
      problem(503, 'unavailable'),
      problem(500, 'internal'),
      events(status('1'), true),
      reset,
      problem(429, 'too_many_requests', { 'retry-after': '3' }),
      problem(401, 'token_expired'),
    );
    const { states, waits, failure } = await readAll(stub.url);
    expect(failure).toMatchObject({ code: 'token_expired' });
    expect(waits).toEqual([500, 1000, 2000, 500, 1000, 3000]);
    expect(
      states.map((state) => (state.state === 'waiting' ? state.delayMs : state.state)),
    ).toEqual([
      'connecting',
      500,
      'connecting',
      1000,
      'connecting',
      2000,
      'connecting',
      'live',
      500,
      'connecting',
      1000,
      'connecting',
      3000,
      'connecting',
    ]);
    const reasons = states.flatMap((state) => (state.state === 'waiting' ? [state.reason] : []));
    expect(reasons[0]).toBeInstanceOf(ChatdUnreachable);
    expect(String(reasons[0])).toMatch(/http:\/\/[^/]+ cannot be reached: /);
    expect(reasons[1]).toBeInstanceOf(ChatdProblem);
    expect(reasons[3]?.message).toContain('the server ended the stream');
  });

  test('never waits longer than 30 seconds', async () => {
    const stub = await standIn(
      ...Array.from({ length: 12 }, () => reset),
      problem(404, 'not_found'),
    );
    const { waits } = await readAll(stub.url, { random: () => 1 });
    expect(Math.max(...waits)).toBe(30_000);
  });

  test.each([
    [400, 'invalid_cursor'],
    [401, 'unauthenticated'],
    [403, 'insufficient_scope'],
    [404, 'not_found'],
  ])('stops after a refusal with %d', async (code, problemCode) => {
    const stub = await standIn(problem(code, problemCode));
    const { failure } = await readAll(stub.url);
    expect(failure).toMatchObject({ status: code, code: problemCode });
    expect(stub.arrived).toHaveLength(1);
  });

  test('stops if the server is not chatd', async () => {
    const page = await standIn((response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    );
    expect((await readAll(page.url)).failure).toMatchObject({ code: 'unexpected_answer' });
    const nonsense = await standIn(events('data: {\n\n', true));
    expect((await readAll(nonsense.url)).failure).toMatchObject({ code: 'unexpected_answer' });
  });

  test('gives up after the given number of retries', async () => {
    const down = await standIn(reset);
    const { clock } = hastyClock();
    const stream = createClient({ url: down.url, clock }).chats.stream('c', { retries: 2 });
    await expect(stream.next()).rejects.toThrow(ChatdUnreachable);
    expect(down.arrived).toHaveLength(3);
  });

  test('detects a silent connection', async () => {
    const clock = new ManualClock();
    const stub = await standIn(events(status('1'), false), events(status('2'), false));
    const states: ConnectionState[] = [];
    const stream = createClient({ url: stub.url, clock, random: () => 0 }).chats.stream('c', {
      onConnection: (state) => states.push(state),
    });
    onTestFinished(async () => void (await stream.return()));
    expect((await stream.next()).value).toMatchObject({ cursor: '1' });
    // A slow consumer does not lose its connection.
    clock.advance(60_000);
    const next = stream.next();
    await poll(() => clock.pending).toEqual([45_000]);
    clock.advance(44_999);
    expect(states.map(({ state }) => state)).toEqual(['connecting', 'live']);
    clock.advance(1);
    await poll(() => states.at(-1)).toMatchObject({ state: 'waiting' });
    expect(states.at(-1)).toMatchObject({
      reason: { message: expect.stringContaining('no data for 45 seconds') as string },
    });
    clock.advance(0);
    expect((await next).value).toMatchObject({ cursor: '2' });
  });

  test('of a deleted chat ends with the error of the server', async () => {
    fake.answer(answer([text('ok')]));
    const { id } = await client.chats.create(titled('to be deleted'));
    const viewer = new Viewer(clientOf({ random: () => 0 }), id);
    await viewer.until(isStatus('waiting'));
    await client.chats.delete(id);
    await expect(viewer.ended).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('watching all chats', () => {
  test('begins with a snapshot and continues with changes', async () => {
    const stopping = new AbortController();
    const seen: string[] = [];
    fake.answer(answer([text('ok')]));
    let created: string | undefined;
    for await (const event of client.watch({ signal: stopping.signal })) {
      seen.push(event.type);
      if (event.type === 'snapshot') {
        created = (await client.chats.create(titled('watched'))).id;
      } else if (event.chat.id === created && event.chat.status === 'waiting') {
        stopping.abort();
      }
    }
    expect(seen[0]).toBe('snapshot');
    expect(seen).toContain('created');
  });
});
