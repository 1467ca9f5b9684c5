import { randomUUID } from 'node:crypto';
import { type LocalTool, ProviderError, tool } from '@chatd/loop';
import { ManualClock } from '@chatd/loop/testing';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createDemo } from '../../src/providers/demo/index.ts';
import type { ChatModel } from '../../src/providers/models.ts';
import { recordCall } from '../../src/store/accounting/record-call.ts';
import { readSpend } from '../../src/store/accounting/spend.ts';
import { CallPermissions } from '../../src/store/accounting/call-permissions.ts';
import type { Queryable } from '../../src/store/statement.ts';
import { DatabaseUnavailable } from '../../src/store/unavailable.ts';
import {
  createTestDatabase,
  DEMO_MODEL,
  execute,
  TestStore,
  text,
} from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { newBus, startReplica } from '../worker/replica.ts';

const { url } = await createTestDatabase();
const store = await TestStore.open(url);

beforeEach(async () => {
  await execute(
    url,
    `TRUNCATE model_calls; UPDATE settings SET value = '{}'; UPDATE users SET spend_limit_micros = NULL`,
  );
});

const limitTo = (micros: number) =>
  execute(url, `UPDATE settings SET value = '{"spend_limit_micros": ${micros}}'`);
const limitOwnerTo = (micros: number) =>
  execute(url, `UPDATE users SET spend_limit_micros = ${micros} WHERE id = '${store.owner}'`);

const CHAT = { id: randomUUID(), owner_id: store.owner, root_chat_id: null };
const spent = (cost_micros: number | null, over: { readonly owner_id?: string } = {}) =>
  recordCall(
    store.database,
    { ...CHAT, ...over },
    { kind: 'turn', model_config_id: DEMO_MODEL, usage: {}, cost_micros, runtime_ms: 1 },
  );
const UNAVAILABLE: Queryable = { query: () => Promise.reject(new DatabaseUnavailable('gone')) };
const check = () => new CallPermissions(store.database).check(store.owner, DEMO_MODEL);

test('without a limit, calls are allowed, and the second check needs no query', async () => {
  await spent(10_000_000);
  const asked: string[] = [];
  const db: Queryable = {
    query(statement, ...params) {
      asked.push(statement.name);
      return store.database.query(statement, ...params);
    },
  };
  const limits = new CallPermissions(db, new ManualClock());

  await limits.check(store.owner, DEMO_MODEL);
  await limits.check(store.owner, DEMO_MODEL);

  expect(asked).toEqual(['read-call-permissions']);
});

test('at the limit, the next call is refused with a readable message', async () => {
  await limitTo(5_000_000);
  await spent(4_999_999);
  await expect(check()).resolves.toBeUndefined();
  await spent(20_001);

  const refused = await check().catch((error: unknown) => error);

  expect(refused).toBeInstanceOf(ProviderError);
  const { kind, retryable, message } = refused as ProviderError;
  expect({ kind, retryable }).toEqual({ kind: 'spend_limit', retryable: false });
  expect(message).toMatch(
    /^You have reached your spending limit for this month: \$5\.02 of \$5\.00 spent\. It resets on \w+ 1, \d{4} \(UTC\)\. .*ask an admin/,
  );
});

test("the spend includes only the user's calls of this month, and counts calls without a price", async () => {
  await limitTo(1000);
  await spent(400);
  await spent(null);
  await spent(900, { owner_id: randomUUID() });
  await spent(900);
  await execute(
    url,
    `UPDATE model_calls SET created_at = date_trunc('month', now(), 'UTC') - interval '1 second'
      WHERE cost_micros = 900 AND user_id = '${store.owner}'`,
  );

  const spend = await readSpend(store.database, store.owner);

  expect(spend).toMatchObject({
    limit_micros: 1000,
    spent_micros: 400,
    left_micros: 600,
    unpriced_calls: 1,
  });
  expect(spend.since.toISOString()).toMatch(/-01T00:00:00\.000Z$/);
  expect(spend.resets_at.toISOString()).toMatch(/-01T00:00:00\.000Z$/);
  expect(spend.resets_at.getTime()).toBeGreaterThan(spend.since.getTime());
});

test("a user's limit overrides the deployment's limit, in both directions", async () => {
  await spent(500);
  await limitTo(100);
  await limitOwnerTo(1000);
  await expect(check()).resolves.toBeUndefined();

  await limitTo(10_000);
  await limitOwnerTo(500);
  await expect(check()).rejects.toMatchObject({ kind: 'spend_limit' });
});

test('a limit of 0 refuses the first call', async () => {
  await limitTo(0);
  await expect(check()).rejects.toMatchObject({ kind: 'spend_limit' });
});

test('a lower limit applies within ten seconds, a higher one immediately', async () => {
  const clock = new ManualClock();
  const limits = new CallPermissions(store.database, clock);
  await limits.check(store.owner, DEMO_MODEL);
  await limitTo(0);
  clock.advance(9_999);
  await expect(limits.check(store.owner, DEMO_MODEL)).resolves.toBeUndefined();
  clock.advance(1);
  await expect(limits.check(store.owner, DEMO_MODEL)).rejects.toMatchObject({
    kind: 'spend_limit',
  });
  await limitTo(1);
  await expect(limits.check(store.owner, DEMO_MODEL)).resolves.toBeUndefined();
});

const GROUP = randomUUID();
const limitGroupTo = (micros: number) =>
  execute(
    url,
    `INSERT INTO groups (id, name, spend_limit_micros) VALUES ('${GROUP}', 'Labs', ${micros})
     ON CONFLICT (id) DO UPDATE SET spend_limit_micros = ${micros};
     INSERT INTO group_members VALUES ('${GROUP}', '${store.owner}') ON CONFLICT DO NOTHING`,
  );
const limitAllTo = (micros: number) =>
  execute(url, `UPDATE settings SET value = '{"deployment_spend_limit_micros": ${micros}}'`);

test("a group shares its limit, all users share the deployment's, and the refusal names the limit", async () => {
  await limitGroupTo(1000);
  await limitAllTo(5000);
  const [other] = await execute<{ id: string }>(
    url,
    `INSERT INTO users (id, username, role) VALUES (gen_random_uuid(), 'other', 'member') RETURNING id`,
  );
  const owner_id = other?.id ?? '';
  await spent(999);
  await spent(3000, { owner_id });
  await expect(check()).resolves.toBeUndefined();
  await spent(1001, { owner_id });
  await expect(check()).rejects.toMatchObject({
    kind: 'spend_limit',
    message: expect.stringMatching(/^This deployment has reached its spending limit/),
  });
  await limitAllTo(1_000_000);
  await execute(url, `INSERT INTO group_members VALUES ('${GROUP}', '${owner_id}')`);
  await expect(check()).rejects.toMatchObject({
    message: expect.stringMatching(/^The group Labs has reached .*: \$0\.005 of \$0\.001 spent/),
  });
  await execute(url, `DELETE FROM group_members WHERE group_id = '${GROUP}'`);
  await expect(check()).resolves.toBeUndefined();
});

test('the spend of a group is read once every ten seconds', async () => {
  await limitGroupTo(10);
  const clock = new ManualClock();
  const limits = new CallPermissions(store.database, clock);
  await limits.check(store.owner, DEMO_MODEL);
  await spent(10);
  clock.advance(9_999);
  await limits.check(store.owner, DEMO_MODEL);
  clock.advance(1);
  await expect(limits.check(store.owner, DEMO_MODEL)).rejects.toMatchObject({
    kind: 'spend_limit',
  });
  await execute(url, `DELETE FROM groups`);
});

test('a model that is restricted during a turn is not called again', async () => {
  const limits = new CallPermissions(store.database);
  await limits.check(store.owner, DEMO_MODEL);
  await execute(url, `UPDATE model_configs SET group_ids = '{}' WHERE id = '${DEMO_MODEL}'`);
  limits.forget(store.owner);
  await expect(limits.check(store.owner, DEMO_MODEL)).rejects.toMatchObject({
    kind: 'model_restricted',
    retryable: false,
  });
  await limits.check(store.owner, randomUUID());
  await execute(url, `UPDATE model_configs SET group_ids = NULL`);
});

test('an unavailable database does not fail the turn', async () => {
  await expect(
    new CallPermissions(UNAVAILABLE).check(store.owner, DEMO_MODEL),
  ).rejects.toMatchObject({
    kind: 'timeout',
    retryable: true,
  });
});

const model = createDemo({ pace: 'instant' })('demo');
const price = { input: 1_000_000, output: 1_000_000 };
const forChat = (configId: string): Promise<ChatModel> =>
  Promise.resolve({ configId, model, settings: { price } });

async function startWorker(tools: readonly LocalTool[] = []): Promise<void> {
  const limits = new CallPermissions(store.database);
  const replica = await startReplica({
    url,
    bus: newBus(),
    models: { forChat, forTitle: forChat },
    tools,
    beforeCall: (userId, configId) => limits.check(userId, configId),
  });
  onTestFinished(() => replica.stop());
}

const failed = (id: string) =>
  eventually(async () => {
    const chat = await store.read(id);
    expect(chat.status).toBe('error');
    return chat;
  });

test('a chat of a user who reached the limit does not run, and keeps its queue', async () => {
  await limitTo(500);
  await spent(500);
  const { id } = await store.create();
  await store.client.send(id, store.message('second'));

  await startWorker();
  const chat = await failed(id);

  expect(chat.last_error).toMatchObject({ kind: 'spend_limit', retryable: false });
  expect(chat.queue_length).toBe(1);
  expect(await store.story(id)).toEqual(['user: first']);
  expect((await readSpend(store.database, store.owner)).spent_micros).toBe(500);
});

test('a turn that reaches the limit ends at the next step and keeps its results', async () => {
  const clockTool = tool({
    name: 'tell_time',
    description: 'What time it is',
    input: z.object({}),
    idempotent: true,
    run: () => 'noon',
  });
  await limitTo(1);
  const { id } = await store.create({ content: text('use a tool') });

  await startWorker([clockTool]);
  const chat = await failed(id);

  expect(chat.last_error?.kind).toBe('spend_limit');
  const [, , result] = await store.history(id);
  expect(result).toMatchObject({ role: 'tool', content: [{ result: 'noon' }] });
  expect(await store.history(id)).toHaveLength(3);
});
