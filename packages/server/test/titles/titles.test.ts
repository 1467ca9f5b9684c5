import { ProviderError } from '@chatd/loop';
import { ManualClock } from '@chatd/loop/testing';
import { answer, fault, gate, startFakeProvider, text as says } from '@chatd/testing';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import type { ChatRow } from '../../src/chat/row.ts';
import { createDemo } from '../../src/providers/demo/index.ts';
import type { Models } from '../../src/providers/models.ts';
import { statement } from '../../src/store/statement.ts';
import { Titles, type TitlesOptions } from '../../src/titles/titles.ts';
import { eventually } from '@chatd/test-server/eventually';
import { DEMO_MODEL, TestStore, text } from '@chatd/test-server/database';
import { modelsAt } from '../worker/replica.ts';

const store = await TestStore.open();
const provider = await startFakeProvider({ api: 'anthropic' });
const price = { input: 3_000_000, output: 15_000_000 };
const models = modelsAt(provider.url, { price });
const opened: Titles[] = [];
const logged: string[] = [];

const beforeCall = () => Promise.resolve();

function open(over: Partial<TitlesOptions> = {}): Titles {
  const log = pino({}, { write: (line: string) => logged.push(line) });
  const titles = new Titles({ store, models, log, beforeCall, ...over });
  opened.push(titles);
  return titles;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((titles) => titles.close()));
  logged.splice(0);
});

/** A chat whose first turn has ended. */
async function answered(said = 'How do I sort a list?', over = {}) {
  const created = await store.create({
    content: text(said),
    title: said,
    title_source: 'first_message',
    ...over,
  });
  const fence = await store.take(created.id);
  const { history_version } = await store.runner.commitStep(created.id, fence, {
    attempt: 0,
    messages: [{ role: 'assistant', content: text('With sort().') }],
  });
  await store.runner.finishTurn(created.id, { ...fence, history_version });
  return created;
}

const titled = (id: string, title: string) =>
  eventually(async () => expect((await store.read(id)).title).toBe(title));

const recordedCalls = (id: string) =>
  store.database.query(
    statement<{ chat_id: string }, object>(
      'test-title-calls',
      `SELECT kind, model_config_id, user_id, input_tokens, output_tokens, cost_micros FROM model_calls
        WHERE chat_id = :chat_id ORDER BY created_at`,
    ),
    { chat_id: id },
  );

/** The number of model calls for these chats. Titles are generated in order, and one more chat comes last. */
async function callsFor(...chats: ChatRow[]): Promise<number> {
  const asked = provider.requests.length;
  provider.answer(answer([says('The last one')]));
  const last = await answered();
  const titles = open({ concurrency: 1 });
  for (const chat of [...chats, last]) titles.afterTurn(chat);
  await titled(last.id, 'The last one');
  return provider.requests.length - asked - 1;
}

test('the first turn generates a title, and the call is recorded', async () => {
  provider.answer(answer([says('"Sorting a list."')], { usage: { input: 100, output: 10 } }));
  const chat = await answered();
  const asked = provider.requests.length;

  open().afterTurn(chat);

  await titled(chat.id, 'Sorting a list');
  expect((await store.read(chat.id)).title_source).toBe('model');
  expect(store.changes.at(-1)).toMatchObject({ command: 'update', id: chat.id, status: 'waiting' });
  expect(JSON.stringify(provider.requests[asked]?.body['messages'])).toContain(
    '<user>\\nHow do I sort a list?\\n</user>\\n<assistant>\\nWith sort().\\n</assistant>',
  );
  expect(await recordedCalls(chat.id)).toEqual([
    {
      kind: 'title',
      model_config_id: DEMO_MODEL,
      user_id: store.owner,
      input_tokens: 100,
      output_tokens: 10,
      cost_micros: 450,
    },
  ]);
});

test('a title set by the user is kept, without a model call', async () => {
  const own = await answered('Hi', { title: 'Mine', title_source: 'user' });
  const renamed = await answered();
  await store.client.update(renamed.id, { title: 'Mine', title_source: 'user' });

  expect(await callsFor(own, renamed)).toBe(0);

  expect((await store.read(own.id)).title).toBe('Mine');
  expect((await store.read(renamed.id)).title).toBe('Mine');
});

test('a title set during the model call is kept, and the call is still recorded', async () => {
  const pause = gate();
  provider.answer(answer([says(['Sorting ', pause, 'lists'])]));
  const chat = await answered();
  open().afterTurn(chat);
  await pause.reached;

  await store.client.update(chat.id, { title: 'Mine', title_source: 'user' });
  pause.release();

  await eventually(async () => expect(await recordedCalls(chat.id)).toHaveLength(1));
  await opened[0]?.close();
  expect(await store.read(chat.id)).toMatchObject({ title: 'Mine', title_source: 'user' });
});

test('an overloaded provider is retried without a trace in the chat', async () => {
  const clock = new ManualClock();
  provider.answer(fault.rateLimit(), fault.overloaded(), answer([says('Sorting lists')]));
  const chat = await answered();
  const { snapshot_version } = await store.read(chat.id);

  open({ clock }).afterTurn(chat);
  await clock.waiting(1000);
  clock.advance(1000);
  await clock.waiting(2000);
  expect(await store.read(chat.id)).toMatchObject({ snapshot_version, retry: null });
  clock.advance(2000);

  await titled(chat.id, 'Sorting lists');
  expect(await store.read(chat.id)).toMatchObject({ status: 'waiting', last_error: null });
});

test('after a failure the chat keeps its title, and the next turn retries', async () => {
  provider.answer(fault.status(400), answer([says('Sorting lists')]));
  const chat = await answered();
  const titles = open();

  titles.afterTurn(chat);
  await eventually(() => expect(logged.join('')).toContain('the chat keeps its title'));
  expect(await store.read(chat.id)).toMatchObject({ title: chat.title, last_error: null });
  await eventually(() => {
    titles.afterTurn(chat);
    expect(provider.left).toBe(0);
  });
  await titled(chat.id, 'Sorting lists');
});

test('a requested title replaces any title, including one set by the user', async () => {
  provider.answer(answer([says('Sorting lists')]));
  const chat = await answered('Hi', { title: 'Mine', title_source: 'user' });

  open().regenerate(chat.id);

  await titled(chat.id, 'Sorting lists');
});

test('a title requested during generation is generated afterward', async () => {
  const pause = gate();
  provider.answer(answer([says(['Sorting ', pause, 'lists'])]), answer([says('Lists in order')]));
  const chat = await answered();
  const titles = open();
  titles.afterTurn(chat);
  await pause.reached;
  await store.client.update(chat.id, { title: 'Mine', title_source: 'user' });

  titles.regenerate(chat.id);
  pause.release();

  await titled(chat.id, 'Lists in order');
});

test('the number of concurrent title calls is limited', async () => {
  const pauses = [gate(), gate(), gate()];
  provider.answer(...pauses.map((pause, index) => answer([says(['Title ', pause, `${index}`])])));
  const chats = [await answered(), await answered(), await answered()];
  const asked = provider.requests.length;
  const titles = open({ concurrency: 1 });

  for (const chat of chats) titles.afterTurn(chat);
  for (const [index, pause] of pauses.entries()) {
    await pause.reached;
    expect(provider.requests).toHaveLength(asked + index + 1);
    pause.release();
    await titled(chats[index]?.id ?? '', `Title ${index}`);
  }
});

test('closing aborts a running title call and starts no other', async () => {
  const pause = gate();
  provider.answer(answer([says(['Sorting ', pause, 'lists'])]));
  const [chat, other] = [await answered(), await answered()];
  const asked = provider.requests.length;
  const titles = open({ concurrency: 1 });
  titles.afterTurn(chat);
  titles.afterTurn(other);
  await pause.reached;

  await titles.close();
  titles.regenerate(other.id);

  expect(await provider.closed[asked]).toBe('aborted');
  expect(provider.requests).toHaveLength(asked + 1);
  expect((await store.read(chat.id)).title).toBe(chat.title);
});

test('a user at the spend limit gets no title, and no call is made', async () => {
  const chat = await answered();
  const asked = provider.requests.length;
  const message = 'The spending limit of this month is reached.';
  const beforeCall = () => Promise.reject(new ProviderError({ kind: 'spend_limit', message }));

  open({ beforeCall }).afterTurn(chat);

  await eventually(() => expect(logged.join('')).toContain(message));
  expect(provider.requests).toHaveLength(asked);
  expect(await recordedCalls(chat.id)).toEqual([]);
});

test('chats without text and deleted chats cause no call', async () => {
  const silent = await answered(' ', { title: 'New chat' });
  const deleted = await answered();
  await store.client.delete(deleted.id);

  expect(await callsFor(silent, deleted)).toBe(0);
});

test('the demo model generates a title without a key', async () => {
  const model = createDemo({ pace: 'instant' })('demo');
  const demo = (configId: string) => Promise.resolve({ configId, model, settings: {} });
  const forTitle: Models['forTitle'] = demo;
  const chat = await answered('show me some markdown, please');

  open({ models: { forTitle } }).afterTurn(chat);

  await titled(chat.id, 'Show me some markdown please');
});

test('the provider accepted every request of these tests', () => {
  expect(provider.rejected).toEqual([]);
  expect(provider.left).toBe(0);
});
