import { execute, TestStore } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { Client } from 'pg';
import { pino } from 'pino';
import { afterAll, describe, expect, test } from 'vitest';
import { MemoryBus } from '../../src/bus/memory-bus.ts';
import { masterKey } from '../../src/secrets/master-key.ts';
import { RateLimit } from '../../src/limits/rate-limit.ts';
import { Vault } from '../../src/secrets/vault.ts';
import { toJson } from '../../src/store/json.ts';
import { loadApprovalsOfChat } from '../../src/store/approvals.ts';
import { purgeTriggerRuns } from '../../src/store/queries/triggers/runs.ts';
import {
  dueTriggers,
  findTrigger,
  insertTrigger,
  purgeTriggerApprovals,
  type TriggerRow,
  triggerSecretsOf,
} from '../../src/store/queries/triggers/triggers.ts';
import { onlyRow } from '../../src/store/statement.ts';
import { Store } from '../../src/store/store.ts';
import { DatabaseUnavailable } from '../../src/store/unavailable.ts';
import { uuidv7 } from '../../src/store/uuid.ts';
import { TriggerCommands } from '../../src/triggers/commands.ts';
import { resealTriggers } from '../../src/triggers/reseal.ts';
import { Scheduler } from '../../src/triggers/scheduler.ts';
import { RunStarter } from '../../src/triggers/start-run.ts';
import { TriggerRuns } from '../../src/triggers/trigger-runs.ts';
import { PLAN_MODES, planOf } from '../support/plan.ts';

const log = pino({ level: 'silent' });
const store = await TestStore.open();
// Stands for another replica.
const otherStore = new Store({ url: store.url });
afterAll(() => otherStore.close());
const runsOn = (one: Store) =>
  new TriggerRuns({ store: one, starter: new RunStarter(one, undefined), log });
const [here, there] = [runsOn(store), runsOn(otherStore)];

const ERROR = {
  kind: 'timeout',
  message: 'The provider did not answer.',
  retryable: true,
} as const;

/** A schedule that has been due for `late` seconds, or a webhook. */
async function trigger(over: Partial<TriggerRow> = {}, late = 0): Promise<TriggerRow> {
  const [{ now }] = (await execute<{ now: Date }>(
    store.url,
    `SELECT date_trunc('second', now()) - interval '${late} seconds' AS now`,
  )) as [{ now: Date }];
  const isWebhook = over.kind === 'webhook';
  const row = {
    id: uuidv7(),
    owner_id: store.owner,
    name: uuidv7(),
    kind: 'schedule' as const,
    enabled: true,
    disabled_reason: null,
    cron: isWebhook ? null : '* * * * * *',
    timezone: isWebhook ? null : 'UTC',
    missed: isWebhook ? null : ('skip' as const),
    next_fire_at: isWebhook ? null : now,
    verification: isWebhook ? ('token' as const) : null,
    secrets: null,
    prompt: 'Do it.',
    chat: {},
    concurrency: 'parallel' as const,
    max_failures: 2,
    failures: 0,
    spend_limit_micros: null,
    ...over,
  };
  return onlyRow(
    await store.database.query(insertTrigger, { ...row, chat: toJson(over.chat ?? {}) }),
  );
}

const hook = (over: Partial<TriggerRow> = {}) => trigger({ kind: 'webhook', ...over });

interface Run {
  readonly status: string;
  readonly reason: string | null;
  readonly chat_id: string | null;
  readonly fire_time: Date | null;
}
const runsOf = (id: string) =>
  execute<Run>(
    store.url,
    `SELECT status, reason, chat_id, fire_time FROM trigger_runs WHERE trigger_id = '${id}' ORDER BY created_at, id`,
  );
const statusesOf = async (id: string) => (await runsOf(id)).map(({ status }) => status);
const chatsOf = (id: string) =>
  execute<{ id: string }>(store.url, `SELECT id FROM chats WHERE trigger_id = '${id}'`);
const read = async (id: string) => onlyRow(await store.database.query(findTrigger, { id }));
const finish = async (chatId: string) => store.runner.finishTurn(chatId, await store.take(chatId));
const fail = async (chatId: string) => store.runner.fail(chatId, await store.take(chatId), ERROR);
const age = async ({ id }: TriggerRow) =>
  Date.now() - ((await read(id)).next_fire_at?.getTime() ?? 0);
const rule = (pattern: string) => ({ pattern, action: 'deny' as const });
const chatIn = ({ chat_id }: Run | undefined = {} as Run) => chat_id ?? '';

describe('a schedule', () => {
  test('fires once for each time, no matter which replicas try and how often', async () => {
    const { id, next_fire_at } = await trigger({}, 9);
    const attempts = Array.from({ length: 24 }, (_, index) => (index % 2 === 0 ? here : there));
    await Promise.all(
      attempts.map(async (replica) => {
        for (let again = 0; again < 5; again += 1) await replica.fireDue(id);
      }),
    );
    while ((await here.fireDue(id)) || (await there.fireDue(id)));
    const runs = await runsOf(id);
    expect(runs.length).toBeGreaterThanOrEqual(10);
    const first = next_fire_at?.getTime() ?? 0;
    expect(runs.map(({ fire_time }) => fire_time?.getTime())).toEqual(
      runs.map((_, index) => first + index * 1000),
    );
    expect(new Set(runs.map(({ chat_id }) => chat_id)).size).toBe(runs.length);
    expect(await chatsOf(id)).toHaveLength(runs.length);
    expect(await store.story(chatIn(runs[0]))).toEqual(['user: Do it.']);
    await execute(
      store.url,
      `UPDATE triggers SET enabled = false, next_fire_at = NULL WHERE id = '${id}'`,
    );
  });

  test('fires on another replica if the first is killed in its transaction, which leaves no trace', async () => {
    const { id } = await trigger({ cron: '0 0 1 1 *' });
    const blocker = new Client({ connectionString: store.url });
    await blocker.connect();
    // The transaction has written the chat and the run, and waits for the row of the trigger.
    await blocker.query('BEGIN');
    await blocker.query(`SELECT FROM triggers WHERE id = '${id}' FOR NO KEY UPDATE`);
    const killed = here.fireDue(id).catch((error: unknown) => error);
    // On another connection than the blocker: a transaction does not see later changes in pg_stat_activity.
    const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'UPDATE triggers%'`;
    await eventually(async () => expect(await execute(store.url, terminate)).toHaveLength(1));
    expect(await killed).toBeInstanceOf(DatabaseUnavailable);
    await blocker.query('ROLLBACK');
    await blocker.end();
    expect([await runsOf(id), await chatsOf(id)]).toEqual([[], []]);
    expect(await there.fireDue(id)).toBe(true);
    expect(await statusesOf(id)).toEqual(['started']);
    expect(await here.fireDue(id)).toBe(false);
  });

  test('that was missed is skipped or fires once', async () => {
    const skipped = await trigger({}, 3600);
    const once = await trigger({ missed: 'once', cron: '0 * * * * *' }, 3600);
    expect(await here.fireDue(skipped.id)).toBe(true);
    expect(await runsOf(skipped.id)).toMatchObject([
      { status: 'skipped', reason: 'No server could start it within a minute.', chat_id: null },
    ]);
    expect(await here.fireDue(once.id)).toBe(true);
    expect(await runsOf(once.id)).toMatchObject([
      { status: 'started', fire_time: once.next_fire_at },
    ]);
    expect(await age(skipped)).toBeLessThan(120_000);
    expect(await age(once)).toBeLessThan(120_000);
  });

  test('that fails here and then fires on another replica is not recorded as refused', async () => {
    const { id, next_fire_at } = await trigger({}, 5);
    let transactions = 0;
    const database = {
      transaction: async (work: Parameters<typeof store.database.transaction>[0]) => {
        transactions += 1;
        // Between the failure and its record.
        if (transactions === 2) await there.fireDue(id);
        return await store.database.transaction(work);
      },
    };
    const failing = new TriggerRuns({
      store: { database } as unknown as Store,
      starter: { start: () => Promise.reject(new Error('broken')) } as unknown as RunStarter,
      log,
    });
    expect(await failing.fireDue(id)).toBe(false);
    expect(await runsOf(id)).toMatchObject([{ status: 'started', fire_time: next_fire_at }]);
  });

  test('that was changed while it fired keeps the change', async () => {
    const { id } = await trigger();
    const change = `UPDATE triggers SET next_fire_at = '2040-01-01T00:00:00Z' WHERE id = '${id}'`;
    const starter = new RunStarter(store, undefined);
    const start: typeof starter.start = async (tx, fired, firing) => {
      await execute(store.url, change);
      return await starter.start(tx, fired, firing);
    };
    const changed = new TriggerRuns({ store, starter: { start } as unknown as RunStarter, log });
    expect(await changed.fireDue(id)).toBe(true);
    expect(await statusesOf(id)).toEqual(['started']);
    expect((await read(id)).next_fire_at).toEqual(new Date('2040-01-01T00:00:00Z'));
  });

  test('of a suspended owner does not fire', async () => {
    const owner = uuidv7();
    await execute(
      store.url,
      `INSERT INTO users (id, username, role, suspended_at) VALUES ('${owner}', '${owner}', 'member', now())`,
    );
    const { id } = await trigger({ owner_id: owner });
    await here.fireDue(id);
    expect(await runsOf(id)).toMatchObject([
      { status: 'skipped', reason: 'The owner is suspended.', chat_id: null },
    ]);
  });
});

describe('a run', () => {
  test('ends with its chat, in the same transaction', async () => {
    const { id } = await hook();
    await here.deliver(id, 'a', {});
    await here.deliver(id, 'b', {});
    const [a, b] = await runsOf(id);
    await finish(chatIn(a));
    expect(await statusesOf(id)).toEqual(['done', 'started']);
    await fail(chatIn(b));
    expect(await runsOf(id)).toMatchObject([
      { status: 'done', reason: null },
      { status: 'failed', reason: ERROR.message },
    ]);
  });

  test('that fails too often in a row disables its trigger with a reason', async () => {
    const { id } = await hook({ max_failures: 2 });
    const failing = async (delivery: string) => {
      const { run } = (await here.deliver(id, delivery, {})) ?? {};
      await fail(run?.chat_id ?? '');
    };
    await failing('1');
    const { run } = (await here.deliver(id, '2', {})) ?? {};
    await finish(run?.chat_id ?? '');
    expect(await read(id)).toMatchObject({ failures: 0, enabled: true });
    await failing('3');
    expect(await read(id)).toMatchObject({ failures: 1, enabled: true, disabled_reason: null });
    await failing('4');
    expect(await read(id)).toMatchObject({
      failures: 2,
      enabled: false,
      disabled_reason: `Disabled after 2 consecutive failures. The last one: ${ERROR.message}`,
    });
    expect(await here.deliver(id, '5', {})).toBeUndefined();
  });

  test('that cannot start is refused and counts as a failure, and the schedule continues', async () => {
    const { id } = await trigger({ chat: { project_id: uuidv7() }, cron: '0 0 1 1 *' });
    expect(await here.fireDue(id)).toBe(true);
    expect(await runsOf(id)).toMatchObject([
      { status: 'refused', reason: expect.stringContaining('does not exist'), chat_id: null },
    ]);
    expect(await read(id)).toMatchObject({ failures: 1, enabled: true });
    expect(await here.fireDue(id)).toBe(false);
    expect(await chatsOf(id)).toEqual([]);
  });

  test('whose payload lacks a path is refused, which does not disable the webhook', async () => {
    const { id } = await hook({ prompt: 'Fix {{payload.issue}}.', max_failures: 1 });
    const delivered = await here.deliver(id, 'a', { other: 1 });
    expect(delivered?.run).toMatchObject({
      status: 'refused',
      reason: 'The payload has no payload.issue.',
    });
    expect(await here.deliver(id, 'a', { issue: 1 })).toMatchObject({ isRepeated: true });
    expect(await read(id)).toMatchObject({ failures: 0, enabled: true });
  });

  test('above the spend limit of its trigger is refused', async () => {
    const { id } = await hook({ spend_limit_micros: 1000 });
    const { run } = (await here.deliver(id, 'a', {})) ?? {};
    expect(run?.status).toBe('started');
    await execute(
      store.url,
      `INSERT INTO model_calls (user_id, chat_id, root_chat_id, model_config_id, input_tokens, output_tokens, reasoning_tokens,
                                cache_read_tokens, cache_creation_tokens, cost_micros, runtime_ms, kind)
       SELECT owner_id, id, id, model_config_id, 1, 1, 0, 0, 0, 1000, 1, 'turn' FROM chats WHERE id = '${run?.chat_id}'`,
    );
    expect(await here.deliver(id, 'b', {})).toMatchObject({
      run: { status: 'refused', reason: expect.stringContaining('spend limit') },
    });
    // It continues next month.
    expect(await read(id)).toMatchObject({ failures: 0, enabled: true });
  });

  test('beyond the queue limit is refused, which does not disable the trigger', async () => {
    const { id } = await hook({ concurrency: 'queue', max_failures: 1 });
    await here.deliver(id, 'first', {});
    await execute(
      store.url,
      `INSERT INTO trigger_runs (id, trigger_id, status, message)
       SELECT gen_random_uuid(), '${id}', 'queued', 'x' FROM generate_series(1, 1000)`,
    );
    expect(await here.deliver(id, 'late', {})).toMatchObject({
      run: { status: 'refused', reason: expect.stringContaining('already wait') },
    });
    expect(await read(id)).toMatchObject({ failures: 0, enabled: true });
    await execute(store.url, `DELETE FROM trigger_runs WHERE status = 'queued'`);
  });

  test('is deleted a month after its end', async () => {
    const { id } = await hook();
    await here.deliver(id, 'a', {});
    await here.deliver(id, 'b', {});
    await finish(chatIn((await runsOf(id))[0]));
    await execute(
      store.url,
      `UPDATE trigger_runs SET ended_at = now() - interval '31 days' WHERE ended_at IS NOT NULL AND trigger_id = '${id}'`,
    );
    await store.database.query(purgeTriggerRuns, { limit: 100 });
    expect(await statusesOf(id)).toEqual(['started']);
  });
});

describe('deliveries', () => {
  test('with the same ID share one run, on all replicas', async () => {
    const { id } = await hook();
    const delivered = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        (index % 2 === 0 ? here : there).deliver(id, 'same', {}),
      ),
    );
    expect(new Set(delivered.map((one) => one?.run.id)).size).toBe(1);
    expect(delivered.filter((one) => one?.isRepeated === false)).toHaveLength(1);
    expect(await chatsOf(id)).toHaveLength(1);
  });

  test('with the same key continue one chat; its messages wait while it is busy', async () => {
    const { id } = await hook({
      prompt: 'Comment {{payload.n}}.',
      chat: { continue: { key: '{{payload.issue}}' } },
    });
    await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        (n % 2 === 0 ? here : there).deliver(id, `d${n}`, { n, issue: n % 2 }),
      ),
    );
    const chats = await chatsOf(id);
    expect(chats).toHaveLength(2);
    expect(await statusesOf(id)).toEqual(Array.from({ length: 8 }, () => 'started'));
    for (const chat of chats) {
      expect(await store.history(chat.id)).toHaveLength(1);
      expect(await store.queue(chat.id)).toHaveLength(3);
    }
  });

  test('start a new chat after theirs was archived or deleted', async () => {
    const { id } = await hook({ chat: { continue: { key: 'one' } } });
    const chatAfter = async (delivery: string) => {
      const { run } = (await here.deliver(id, delivery, {})) ?? {};
      await finish(run?.chat_id ?? '');
      return run?.chat_id ?? '';
    };
    const first = await chatAfter('a');
    expect(await chatAfter('b')).toBe(first);
    await store.client.setArchived(first, true);
    const second = await chatAfter('c');
    expect(second).not.toBe(first);
    await store.client.delete(second);
    expect(await chatAfter('d')).not.toBe(second);
  });
});

describe('overlapping runs', () => {
  test('are skipped', async () => {
    const { id } = await hook({ concurrency: 'skip' });
    await here.deliver(id, 'a', {});
    await here.deliver(id, 'b', {});
    expect(await runsOf(id)).toMatchObject([
      { status: 'started' },
      { status: 'skipped', reason: 'A previous run is still in progress.', chat_id: null },
    ]);
    await finish(chatIn((await runsOf(id))[0]));
    await here.deliver(id, 'c', {});
    expect(await statusesOf(id)).toEqual(['done', 'skipped', 'started']);
  });

  test('are skipped for the same key only', async () => {
    const chat = { continue: { key: '{{payload.key}}' } };
    const { id } = await hook({ concurrency: 'skip', chat });
    for (const [delivery, key] of ['x', 'y', 'x'].entries()) {
      await here.deliver(id, String(delivery), { key });
    }
    expect(await statusesOf(id)).toEqual(['started', 'started', 'skipped']);
  });

  test('wait for each other, in order', async () => {
    const { id } = await hook({ concurrency: 'queue', prompt: 'Do {{payload.n}}.' });
    for (const n of [1, 2, 3]) await here.deliver(id, String(n), { n });
    expect(await statusesOf(id)).toEqual(['started', 'queued', 'queued']);
    expect(await there.startQueued(id)).toBe(false);
    await finish(chatIn((await runsOf(id))[0]));
    // A new delivery does not overtake.
    await here.deliver(id, '4', { n: 4 });
    const started = await Promise.all([here.startQueued(id), there.startQueued(id)]);
    expect(started.filter(Boolean)).toHaveLength(1);
    expect(await statusesOf(id)).toEqual(['done', 'started', 'queued', 'queued']);
    expect(await store.story(chatIn((await runsOf(id))[1]))).toEqual(['user: Do 2.']);
    // Queued runs of a disabled trigger do not start.
    await execute(store.url, `UPDATE triggers SET enabled = false WHERE id = '${id}'`);
    await finish(chatIn((await runsOf(id))[1]));
    while (await here.startQueued(id));
    expect(await statusesOf(id)).toEqual(['done', 'done', 'skipped', 'skipped']);
  });
});

test('the approval rules of a trigger apply after those of the owner, including in subagents', async () => {
  await execute(
    store.url,
    `INSERT INTO user_approvals (user_id, rules) VALUES ('${store.owner}', '${JSON.stringify([rule('own')])}')`,
  );
  const { id } = await hook({ chat: { approvals: [rule('execute')] } });
  const { run } = (await here.deliver(id, 'a', {})) ?? {};
  const chat = await store.read(run?.chat_id ?? '');
  const child = await store.create({ parent: chat });
  const plain = await store.create();
  for (const one of [chat, child]) {
    expect(await loadApprovalsOfChat(store.database, one.id)).toEqual([
      rule('own'),
      rule('execute'),
    ]);
  }
  expect(await loadApprovalsOfChat(store.database, plain.id)).toEqual([rule('own')]);
  const [taken] = (await store.runner.takeUp(store.worker, [chat.id], 1000)).taken;
  expect(taken?.approvals).toEqual([rule('own'), rule('execute')]);
});

test('the approval rules of a trigger apply to its chats after it was deleted', async () => {
  const commands = new TriggerCommands({
    vault: new Vault([]),
    workspaces: undefined,
    changed: () => undefined,
  });
  const { id } = await hook({ chat: { approvals: [rule('network')] } });
  const { run } = (await here.deliver(id, 'a', {})) ?? {};
  const chat = await store.read(run?.chat_id ?? '');
  const before = await loadApprovalsOfChat(store.database, chat.id);
  expect(before.at(-1)).toEqual(rule('network'));
  const unused = await hook({ chat: { approvals: [rule('network')] } });
  for (const one of [id, unused.id]) {
    await store.database.transaction((tx) => commands.delete(one, tx));
  }
  expect(await loadApprovalsOfChat(store.database, chat.id)).toEqual(before);
  const [taken] = (await store.runner.takeUp(store.worker, [chat.id], 1000)).taken;
  expect(taken?.approvals).toEqual(before);
  // They are kept as long as the chat exists.
  const kept = () =>
    execute<{ trigger_id: string }>(store.url, `SELECT trigger_id FROM deleted_trigger_approvals`);
  await store.database.query(purgeTriggerApprovals, { limit: 100 });
  expect(await kept()).toEqual([{ trigger_id: id }]);
  await execute(store.url, `DELETE FROM chats WHERE id = '${chat.id}'`);
  await store.database.query(purgeTriggerApprovals, { limit: 100 });
  expect(await kept()).toEqual([]);
});

test('the secret of a webhook is encrypted with the new key, so that the old one can be removed', async () => {
  const [old, current] = await Promise.all(['old', 'new'].map(masterKey));
  const { id } = await hook();
  const row = triggerSecretsOf(id);
  const secrets = new Vault([old!]).seal({ secret: 'shared-secret' }, row);
  await execute(store.url, `UPDATE triggers SET secrets = '${secrets}' WHERE id = '${id}'`);
  await resealTriggers(store.database, new Vault([current!, old!]), log);
  const resealed = (await read(id)).secrets ?? '';
  expect(new Vault([current!]).open(resealed, row)).toEqual({ secret: 'shared-secret' });
});

test('failing schedules do not delay others', async () => {
  const due = ['1', '2', '3', '4', '5', 'last'];
  const database = {
    query: () =>
      Promise.resolve([{ due, owners: due, free: [], has_queued: false, wait_ms: null }]),
  } as unknown as typeof store.database;
  const fired = Promise.withResolvers<void>();
  const runs = {
    async fireDue(id: string) {
      if (id !== 'last') throw new DatabaseUnavailable('Its statement takes too long.');
      fired.resolve();
      return false;
    },
    startQueued: () => Promise.resolve(false),
  };
  const scheduler = new Scheduler({
    database,
    bus: new MemoryBus(log),
    log,
    runs,
    budget: undefined,
  });
  await scheduler.start();
  await fired.promise;
  await scheduler.close();
});

test('schedules of an owner above the rate limit wait, and delay no others', async () => {
  const limited = await TestStore.open();
  const other = uuidv7();
  // More than a batch, and due before the schedule of the other owner.
  await execute(
    limited.url,
    `INSERT INTO users (id, username, role) VALUES ('${other}', 'other', 'member');
     INSERT INTO triggers (id, owner_id, name, kind, enabled, cron, timezone, missed, next_fire_at, prompt, chat, concurrency)
     SELECT gen_random_uuid(), CASE WHEN n = 150 THEN '${other}'::uuid ELSE '${limited.owner}' END, n::text, 'schedule', true,
            '0 0 1 1 *', 'UTC', 'once', date_trunc('second', now()) - interval '10 s' + n * interval '1 ms', 'x', '{}', 'queue'
       FROM generate_series(1, 150) AS n`,
  );
  // Two runs in 10 seconds.
  let now = 0;
  const budget = new RateLimit(120, () => now);
  const { database } = limited;
  const bus = new MemoryBus(log);
  const scheduler = new Scheduler({ database, bus, log, runs: runsOn(limited), budget });
  const started = async () => {
    const rows = await execute<{ owner_id: string; count: number }>(
      limited.url,
      `SELECT triggers.owner_id, count(*)::int FROM trigger_runs JOIN triggers ON triggers.id = trigger_id GROUP BY 1`,
    );
    const countOf = (id: string) => rows.find(({ owner_id }) => owner_id === id)?.count ?? 0;
    return { owner: countOf(limited.owner), other: countOf(other) };
  };
  await scheduler.start();
  await eventually(async () => expect(await started()).toMatchObject({ other: 1 }));
  const { owner: first } = await started();
  // Four start concurrently, and count against the limit once they have started.
  expect(first).toBeGreaterThanOrEqual(2);
  expect(first).toBeLessThanOrEqual(5);
  now += 60_000;
  await eventually(async () => expect((await started()).owner).toBeGreaterThan(first));
  await scheduler.close();
  expect((await started()).owner).toBeLessThanOrEqual(10);
});

const IDLE = { limit: 100, overdrawn: [] };

test('10,000 schedules cost one statement per tick, which reads only what is due', async () => {
  const idle = await TestStore.open();
  await execute(
    idle.url,
    `INSERT INTO triggers (id, owner_id, name, kind, enabled, cron, timezone, missed, next_fire_at, prompt, chat, concurrency)
     SELECT gen_random_uuid(), '${idle.owner}', n::text, 'schedule', true, '0 0 1 1 *', 'UTC', 'skip',
            now() + n * interval '1 hour', 'x', '{}', 'queue' FROM generate_series(1, 10000) AS n;
     ANALYZE triggers`,
  );
  const client = new Client({ connectionString: idle.url });
  await client.connect();
  for (const mode of PLAN_MODES) {
    const { indexes, scanned } = await planOf(client, dueTriggers, mode, IDLE);
    expect(new Set(indexes)).toEqual(
      new Set(['triggers_due', 'trigger_runs_queued', 'trigger_runs_started']),
    );
    expect(scanned).toEqual([]);
  }
  await client.end();
  const [row] = await idle.database.query(dueTriggers, IDLE);
  expect(row).toMatchObject({ due: [], free: [], has_queued: false });
  expect(row?.wait_ms).toBeGreaterThan(3_500_000);

  // The scheduler queries once, then sleeps until it is notified of a change.
  const bus = new MemoryBus(log);
  let statements = 0;
  const queriedAgain = Promise.withResolvers<void>();
  const database = {
    query: (...given: Parameters<typeof idle.database.query>) => {
      statements += 1;
      if (statements === 2) queriedAgain.resolve();
      return idle.database.query(...given);
    },
  } as unknown as typeof idle.database;
  const scheduler = new Scheduler({ database, bus, log, runs: runsOn(idle), budget: undefined });
  await scheduler.start();
  await eventually(() => expect(statements).toBe(1));
  scheduler.changed();
  await queriedAgain.promise;
  await scheduler.close();
  expect(statements).toBe(2);
});
