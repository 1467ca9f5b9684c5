import {
  type Chat,
  isEventStream,
  isTwoWay,
  type Route,
  type RouteName,
  routes,
} from '@chatd/protocol';
import { ManualClock } from '@chatd/loop/testing';
import { answer, text } from '@chatd/testing';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { poll } from './support/poll.ts';
import {
  type CallAnswer,
  type CallInput,
  type CallName,
  ChatdProblem,
  ChatdUnreachable,
  type Client,
  createClient,
} from '../src/index.ts';
import { NAMESPACES, type NoCallIsMissing } from '../src/namespaces.ts';
import { hastyClock } from './support/hasty-clock.ts';
import { setUp, titled } from './support/server.ts';
import { cutBody, json, problem, reset, standIn } from './support/stand-in.ts';

const { client, fake, clientOf, server } = await setUp();

fake.answerWith(() => answer([text('ok')]));

const isStream = (route: Route) => Object.values(route.answers).some(isEventStream);
const isSocket = (route: Route) => Object.values(route.answers).some(isTwoWay);

describe('the table of calls', () => {
  test('has a namespace for every call that is not a stream', () => {
    expectTypeOf<NoCallIsMissing>().toBeNever();
    const placed = Object.values(NAMESPACES).flatMap((methods) =>
      Object.values<RouteName>(methods),
    );
    const calls = Object.entries<Route>(routes).filter(
      ([, route]) => !isStream(route) && !isSocket(route),
    );
    expect([...placed].sort()).toEqual(calls.map(([name]) => name).sort());
  });

  test('has only methods of the client', () => {
    for (const [namespace, methods] of Object.entries(NAMESPACES)) {
      for (const method of Object.keys(methods)) {
        expect(client).toHaveProperty([namespace, method], expect.any(Function));
      }
    }
  });
});

describe('the types of a call', () => {
  test('are those of the protocol', () => {
    expectTypeOf(client.chats.get).toBeCallableWith('id');
    expectTypeOf(client.chats.get).returns.resolves.toEqualTypeOf<Chat>();
    expectTypeOf(client.chats.list).parameter(0).extract<object>().toHaveProperty('archived');
    expectTypeOf(client.chats.delete).returns.resolves.toBeUndefined();
    expectTypeOf(client.files.download).returns.resolves.toEqualTypeOf<File>();
    expectTypeOf<CallAnswer<'sendMessage'>>()
      .extract<{ queued: true }>()
      .not.toHaveProperty('message');
    expectTypeOf<'streamChat'>().not.toExtend<CallName>();
    expectTypeOf<CallInput<'createChat'>['body']>().toHaveProperty('content');
    // @ts-expect-error -- unknown fields are refused
    expectTypeOf({ content: 'x', unknown: 1 } satisfies CallInput<'createChat'>['body']);
    // @ts-expect-error -- path parameters are required
    expectTypeOf(client.chats.get).toBeCallableWith();
  });
});

describe('a call', () => {
  test('is made by its name or by its method', async () => {
    const me = await client.call('getMe');
    expect(await client.me.get()).toEqual(me);
    const listed = await client.call('listUsers', { query: { limit: 1 } });
    expect(await client.users.list({ limit: 1 })).toEqual(listed);
    expect(listed.users).toHaveLength(1);
  });

  test('takes its path parameters, body and query in this order', async () => {
    const user = await client.users.create({ username: 'positional' });
    expect(await client.users.update(user.id, { role: 'admin' })).toMatchObject({ role: 'admin' });
    expect(await client.users.delete(user.id)).toBeUndefined();
  });

  test('that is refused throws the error of the server', async () => {
    const id = '01a1dfd2-0000-7000-8000-000000000000';
    const refused: unknown = await client.chats.get(id).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ChatdProblem);
    expect(refused).toMatchObject({ status: 404, code: 'not_found' });
    const invalid: unknown = await client.chats.create(' ').catch((error: unknown) => error);
    expect(invalid).toMatchObject({ code: 'invalid_body', errors: [{ path: 'content' }] });
    const stranger = clientOf({ token: 'nobody' });
    await expect(stranger.me.get()).rejects.toMatchObject({ status: 401, code: 'unauthenticated' });
  });

  test('can get its token from a function', async () => {
    const tokens = ['nobody', 'test-admin-token-0123456789'];
    const renewing = clientOf({ token: () => tokens.shift() ?? '' });
    await expect(renewing.me.get()).rejects.toMatchObject({ status: 401 });
    expect(await renewing.me.get()).toHaveProperty('username');
  });

  test('with an empty ID is not sent', async () => {
    await expect(client.chats.get('')).rejects.toThrow('chat_id is missing');
  });

  test('rejects with the reason of its signal', async () => {
    const reason = new Error('enough');
    await expect(client.me.get({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const held = await standIn(() => undefined);
    const controller = new AbortController();
    const call = clientOf({ url: held.url }).me.get({ signal: controller.signal });
    await poll(() => held.arrived.length).toBe(1);
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  test('uploads and downloads bytes unchanged', async () => {
    const bytes = new Uint8Array([0, 255, 10, 13, 200]);
    const file = await client.files.upload(new File([bytes], 'späße.bin', { type: 'audio/ogg' }));
    expect(file).toMatchObject({ name: 'späße.bin', media_type: 'audio/ogg', size: 5 });
    const back = await client.files.download(file.id);
    expect(back).toBeInstanceOf(File);
    expect([back.name, back.type]).toEqual(['späße.bin', 'audio/ogg']);
    expect(new Uint8Array(await back.arrayBuffer())).toEqual(bytes);
    const text = await client.files.upload('hello', { name: 'a.txt', type: 'text/plain' });
    expect(await (await client.files.download(text.id)).text()).toBe('hello');
    await client.files.delete(text.id);
    await expect(client.files.download(text.id)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('that lists can iterate over all pages', async () => {
    for (let index = 0; index < 5; index += 1) await client.tokens.create({ name: `t${index}` });
    const whole = (await client.tokens.list()).tokens.map(({ id }) => id);
    const ids: string[] = [];
    for await (const { id } of client.tokens.each({ limit: 2 })) ids.push(id);
    expect(ids).toEqual(whole);
    expect(ids.length).toBeGreaterThan(4);
  });

  test('exports a chat as text', async () => {
    const chat = await server.store.create();
    const owner = clientOf({ token: server.owner.headers['authorization']?.slice(7) ?? '' });
    const markdown = await owner.chats.export(chat.id, { format: 'markdown' });
    expect(markdown.type).toContain('text/markdown');
    expect(await markdown.text()).toContain('#');
  });
});

describe('an unavailable server', () => {
  test('is called again, up to the given number of retries', async () => {
    const { clock, waits } = hastyClock();
    const flaky = await standIn(
      reset,
      problem(503, 'unavailable'),
      cutBody,
      json(200, { chats: [], next_cursor: null }),
    );
    const patient = createClient({ url: flaky.url, clock, random: () => 0.5 });
    expect(await patient.chats.list()).toEqual({ chats: [], next_cursor: null });
    expect(flaky.arrived).toHaveLength(4);
    expect(waits).toEqual([250, 500, 1000]);

    const down = await standIn(reset);
    const short = createClient({ url: down.url, clock, retries: 1 });
    await expect(short.chats.list()).rejects.toThrow(ChatdUnreachable);
    expect(down.arrived).toHaveLength(2);
  });

  test('sets the delay with Retry-After', async () => {
    const { clock, waits } = hastyClock();
    const busy = await standIn(
      problem(429, 'too_many_requests', { 'retry-after': '7' }),
      json(200, { chats: [], next_cursor: null }),
    );
    await createClient({ url: busy.url, clock }).chats.list();
    expect(waits).toEqual([7000]);
  });

  test('is not called again after a long Retry-After or a permanent error', async () => {
    const { clock } = hastyClock();
    for (const handler of [
      problem(503, 'unavailable', { 'retry-after': '600' }),
      problem(429, 'queue_full', { 'retry-after': '1' }),
      problem(404, 'not_found'),
      problem(500, 'internal'),
    ]) {
      const refusing = await standIn(handler);
      await expect(createClient({ url: refusing.url, clock }).chats.list()).rejects.toThrow(
        ChatdProblem,
      );
      expect(refusing.arrived).toHaveLength(1);
    }
  });

  test('gets idempotent calls again with the same key, and other calls only once', async () => {
    const { clock } = hastyClock();
    for (const call of [
      (sending: Client) => sending.chats.create(titled('hello')),
      (sending: Client) => sending.chats.edit('x', 1, { content: 'hello' }),
      (sending: Client) => sending.chats.update('x', { title: 'y' }),
    ]) {
      const flaky = await standIn(reset, reset, json(200, { id: 'x' }));
      await call(createClient({ url: flaky.url, clock }));
      const keys = flaky.arrived.map(({ headers }) => headers['idempotency-key']);
      expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
      expect(new Set(keys)).toEqual(new Set([keys[0]]));
      expect(new Set(flaky.arrived.map(({ body }) => body)).size).toBe(1);
    }

    for (const call of [
      (once: Client) => once.tokens.create({ name: 'secret' }),
      (once: Client) => once.users.update('x', { role: 'admin' }),
      (once: Client) => once.chats.delete('x'),
    ]) {
      const down = await standIn(reset);
      await expect(call(createClient({ url: down.url, clock }))).rejects.toThrow(ChatdUnreachable);
      expect(down.arrived).toHaveLength(1);
    }
  });

  test('does not create a chat twice when its response is lost', async () => {
    const before = (await client.chats.list({ limit: 200 })).chats.length;
    let lost = 0;
    const losing = clientOf({
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        lost += 1;
        if (lost === 1) throw new TypeError('the answer was lost');
        return response;
      },
      clock: hastyClock().clock,
    });
    const { id } = await losing.chats.create(titled('only once'));
    expect(lost).toBe(2);
    const { chats } = await client.chats.list({ limit: 200 });
    expect(chats.length).toBe(before + 1);
    expect(chats.some((chat) => chat.id === id)).toBe(true);
  });

  test('causes an error when it does not respond in time', async () => {
    const clock = new ManualClock();
    const silent = await standIn(() => undefined);
    const call = createClient({ url: silent.url, clock, retries: 0, timeoutMs: 9000 }).me.get();
    await poll(() => silent.arrived.length).toBe(1);
    clock.advance(9000);
    await expect(call).rejects.toThrow('no response within 9 seconds');
  });

  test('is distinguished from a server that is not chatd', async () => {
    const page = await standIn((response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    );
    await expect(createClient({ url: page.url }).me.get()).rejects.toMatchObject({
      code: 'unexpected_answer',
    });
    const gateway = await standIn((response) => response.writeHead(502).end('Bad gateway'));
    const behind = createClient({ url: gateway.url, retries: 0 });
    await expect(behind.me.get()).rejects.toMatchObject({ status: 502, code: 'unexpected_answer' });
  });
});
