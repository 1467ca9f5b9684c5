import { answer, fault, reasoning, text as says } from '@chatd/testing';
import { expect, onTestFinished, test } from 'vitest';
import { runHousekeeping } from '../../src/housekeeping.ts';
import { DebugRecord } from '../../src/observability/debug-record/debug-record.ts';
import { SecretValues } from '../../src/secrets/secret-values.ts';
import { toJson } from '../../src/store/json.ts';
import { insertDebugEntries, listDebugEntries } from '../../src/store/queries/debug-entries.ts';
import { RecentSettings } from '../../src/store/recent-settings.ts';
import { changeSettings } from '../../src/store/settings.ts';
import type { Queryable } from '../../src/store/statement.ts';
import { uuidv7 } from '../../src/store/uuid.ts';
import { dump, execute } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { log } from '../worker/replica.ts';
import { callsAdd, openWorld } from './world.ts';

const world = await openWorld();
const { provider, store } = world;
const SECRET = 'sk-planted-0123456789abcdef';

function open(database: Queryable = store.database, capacity = 100) {
  const secrets = new SecretValues();
  secrets.add(SECRET);
  const settings = new RecentSettings(store.database);
  const record = new DebugRecord({ database, settings: settings.read, secrets, log, capacity });
  onTestFinished(() => record.close());
  return { record, settings };
}

const switchOn = () =>
  changeSettings(store.database, { debug_record: { enabled: true, retention_hours: 24 } });

const entriesOf = (chatId: string) =>
  store.database.query(listDebugEntries, { chat_id: chatId, before_id: null, limit: 100 });

const recorded = (chatId: string, count: number) =>
  eventually(async () => {
    const rows = await entriesOf(chatId);
    expect(rows).toHaveLength(count);
    return rows.map(({ entry }) => entry).toReversed();
  });

test('nothing is recorded until an admin switches it on', async () => {
  const { record } = open();
  await world.start([record]);
  provider.answer(answer([says('Hi!')]));
  const chatId = await world.run('Hello');
  await record.close();
  expect(await entriesOf(chatId)).toEqual([]);
  expect(record.stats).toEqual({ written: 0, dropped: 0 });
});

test('a call is recorded with its request, response, usage, and duration', async () => {
  await switchOn();
  const { record } = open();
  await world.start([record]);
  provider.answer(
    callsAdd(),
    answer([reasoning('Let me see.'), says('It is 3.')], {
      responseId: 'msg_1',
      usage: { input: 7, cacheRead: 3, output: 5 },
    }),
  );
  const chatId = await world.run('What is 1 + 2?');
  const [first, second] = await recorded(chatId, 2);
  expect(first).toMatchObject({
    purpose: 'turn',
    provider: 'anthropic.messages',
    model: 'claude-sonnet-4-5',
    attempt: 1,
    outcome: 'completed',
    request: {
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'What is 1 + 2?' }] }],
      tools: [{ type: 'function', name: 'add', description: 'Adds two numbers' }],
      settings: { maxOutputTokens: 1000 },
    },
    finish_reason: { unified: 'tool-calls' },
    duration_ms: expect.any(Number),
    first_token_ms: expect.any(Number),
  });
  expect(first?.response.parts).toContainEqual({
    type: 'tool-call',
    id: 'toolu_1',
    name: 'add',
    input: '{"a":1,"b":2}',
  });
  expect(second).toMatchObject({
    response: { id: 'msg_1' },
    usage: { input_tokens: 7, cache_read_tokens: 3, output_tokens: 5 },
  });
  expect(second?.response.parts).toContainEqual({ type: 'reasoning', text: 'Let me see.' });
  expect(second?.response.parts).toContainEqual({ type: 'text', text: 'It is 3.' });
});

test('a failed call is recorded with its error, and the retry has the next attempt number', async () => {
  await switchOn();
  const { record } = open();
  await world.start([record]);
  provider.answer(fault.status(529), answer([says('Now.')]));
  const chatId = await world.run('Hello');
  const [failed, again] = await recorded(chatId, 2);
  expect(failed).toMatchObject({
    outcome: 'failed',
    attempt: 1,
    error: { kind: 'overloaded', retryable: true, status_code: 529, said: expect.any(String) },
  });
  expect(again).toMatchObject({ outcome: 'completed', attempt: 2 });
});

test('parts dropped from a refused history are recorded with the call that omits them', async () => {
  await switchOn();
  const { record } = open();
  await world.start([record]);
  provider.refuseWhen(
    ({ body }) => /a refused question.*"tool_use"/.test(JSON.stringify(body['messages'])),
    'The moon is not full.',
  );
  provider.answer(callsAdd(), answer([says('It is 3.')]));
  const chatId = await world.run('a refused question');
  const [, refused, repaired] = await recorded(chatId, 3);
  expect(refused).toMatchObject({ outcome: 'failed', attempt: 1 });
  expect(refused).not.toHaveProperty('warnings');
  expect(repaired).toMatchObject({
    outcome: 'completed',
    attempt: 2,
    warnings: [
      'The provider rejected the history (The moon is not full.). Sent as plain instead. Omitted or changed: tool calls and their results as text (1).',
    ],
  });
});

test('no secret is recorded, wherever it occurs', async () => {
  await switchOn();
  const { record } = open();
  await world.start([record]);
  const body = {
    type: 'error',
    error: { type: 'invalid_request_error', message: `no: ${SECRET}` },
  };
  provider.answer(
    answer([says(`The key is ${SECRET}.`)]),
    fault.status(400, { body, headers: { 'x-echo': SECRET } }),
  );
  const told = await world.run(`My key is ${SECRET}, keep it.`);
  const refused = await world.run(`Again: ${SECRET}`, 'error', { system_prompt: `Use ${SECRET}.` });
  const [entry] = await recorded(told, 1);
  await recorded(refused, 1);
  expect(JSON.stringify(entry)).toContain('My key is [hidden], keep it.');
  const rows = await execute(world.url, 'SELECT entry::text FROM debug_entries');
  expect(rows).toHaveLength(2);
  expect(JSON.stringify(rows)).not.toContain('planted-0123');
  expect(JSON.stringify(rows)).toContain('no: [hidden]');
});

test('a change of the setting takes effect with the next call', async () => {
  const { record, settings } = open();
  await world.start([record]);
  provider.answer(answer([says('1')]), answer([says('2')]), answer([says('3')]));
  const before = await world.run('one');
  await switchOn();
  settings.forget();
  const during = await world.run('two');
  await recorded(during, 1);
  await changeSettings(store.database, { debug_record: { enabled: false, retention_hours: 24 } });
  settings.forget();
  const after = await world.run('three');
  await record.close();
  expect(await entriesOf(before)).toEqual([]);
  expect(await entriesOf(after)).toEqual([]);
});

test('when the database is slow, calls are dropped and counted, and turns continue', async () => {
  await switchOn();
  const { promise: asleep, resolve: wake } = Promise.withResolvers<void>();
  const slow: Queryable = {
    async query(statement, ...params) {
      await asleep;
      return await store.database.query(statement, ...params);
    },
  };
  const { record } = open(slow, 1);
  await world.start([record]);
  for (const word of ['one', 'two', 'three', 'four']) {
    provider.answer(answer([says(word)]));
    await world.run(word);
  }
  await eventually(() => expect(record.stats.dropped).toBeGreaterThan(0));
  wake();
  await record.close();
  expect(record.stats.written + record.stats.dropped).toBe(4);
  expect(record.stats.written).toBeGreaterThan(0);
});

test('an entry that the database rejects is dropped and counted', async () => {
  await switchOn();
  const { record } = open({ query: () => Promise.reject(new Error('away')) });
  await world.start([record]);
  provider.answer(answer([says('Hi!')]));
  await world.run('Hello');
  await eventually(() => expect(record.stats).toEqual({ written: 0, dropped: 1 }));
});

const hours = (count: number) => new Date(Date.now() - count * 3_600_000);

test('housekeeping deletes entries past the retention, and entries without a chat', async () => {
  await changeSettings(store.database, { debug_record: { enabled: false, retention_hours: 2 } });
  const { id: chat } = await store.create();
  const gone = uuidv7();
  const ids = { old: uuidv7(), young: uuidv7(), orphan: uuidv7() };
  await store.database.query(insertDebugEntries, {
    ids: [ids.old, ids.young, ids.orphan],
    chat_ids: [chat, chat, gone],
    created_ats: [hours(3), hours(1), hours(1)],
    entries: [toJson({}), toJson({}), toJson({})],
  });
  await runHousekeeping(store, log);
  const left = await dump(world.url);
  expect(left).toContain(ids.young);
  expect(left).not.toContain(ids.old);
  expect(left).not.toContain(ids.orphan);
});

test('characters that PostgreSQL text cannot store are recorded', async () => {
  await switchOn();
  const { record } = open();
  await world.start([record]);
  provider.answer(answer([says('nul \u0000 and half a \ud83d pair')]));
  const chatId = await world.run('Hello');
  const [entry] = await recorded(chatId, 1);
  expect(JSON.stringify(entry?.response.parts)).toContain(String.raw`nul \u0000 and half`);
});
