import { once } from 'node:events';
import { createLog } from '../../src/log.ts';
import { Outbox, type OutboxTiming } from '../../src/outbox/outbox.ts';
import type { Channel, Outcome } from '../../src/outbox/channel.ts';
import type { ClaimedDelivery } from '../../src/store/queries/outbox/deliveries.ts';
import { createTestDatabase, execute, TestStore } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { expect, onTestFinished, test } from 'vitest';

const { url } = await createTestDatabase();
const store = await TestStore.open(url);

/** The first column of the first row. */
const value = async (sql: string): Promise<unknown> =>
  Object.values((await execute<Record<string, unknown>>(url, sql))[0] ?? {})[0];

const log = createLog({ level: 'error', secrets: [], readable: false, write: () => undefined });

const webhook = async (labels = '{}', events = ['chat.waiting']) => {
  const id = crypto.randomUUID();
  await execute(
    url,
    `INSERT INTO webhooks (id, owner_id, url, events, labels, secrets)
     VALUES ('${id}', '${store.owner}', 'http://receiver.test/', '{${events.join(',')}}', '${labels}', '')`,
  );
  onTestFinished(async () => {
    await execute(url, `DELETE FROM webhooks; DELETE FROM outbox; DELETE FROM failing_targets`);
  });
  return id;
};

/** Ends a turn of each chat: one event per chat, numbered by its snapshot_version. */
const endTurns = (ids: readonly string[]) =>
  execute(
    url,
    `UPDATE chats SET status = 'running' WHERE id IN ('${ids.join("','")}');
     UPDATE chats SET status = 'waiting', snapshot_version = snapshot_version + 1 WHERE id IN ('${ids.join("','")}')`,
  );

const waitingChats = async (count: number) => {
  const rows = await execute<{ id: string }>(
    url,
    `INSERT INTO chats (id, owner_id, status, title, model_config_id, snapshot_version, history_version, queue_version)
     SELECT gen_random_uuid(), '${store.owner}', 'waiting', 'Chat', (SELECT id FROM model_configs LIMIT 1), 1, 1, 0
       FROM generate_series(1, ${count})
     RETURNING id`,
  );
  return rows.map(({ id }) => id);
};

/** Starts a replica that delivers events with `send`. */
function replica(
  send: (delivery: ClaimedDelivery, signal: AbortSignal) => Outcome | Promise<Outcome>,
  timing: Partial<OutboxTiming> = {},
): Outbox {
  const channel: Channel = { keepsDelivered: true, send: async (...given) => await send(...given) };
  const outbox = new Outbox({
    database: store.database,
    channels: { webhook: channel, push: channel },
    log,
    timing: { everyMs: 20, delayMs: () => 5, blockMs: 1, ...timing },
  });
  outbox.start();
  onTestFinished(() => outbox.close());
  return outbox;
}

const delivered = { kind: 'delivered', status: 204 } as const;
const failed = { kind: 'failed', status: 500, error: 'HTTP 500' } as const;
const states = () =>
  value(
    `SELECT coalesce(json_object_agg(state, n), '{}')
       FROM (SELECT state, count(*)::int AS n FROM outbox GROUP BY state) AS counts`,
  );

const chatOf = ({ chat_id }: ClaimedDelivery['payload']): string =>
  typeof chat_id === 'string' ? chat_id : '';

/** A seeded generator: the same numbers in each run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

test('three replicas deliver every event, in order per chat, while 30% of the attempts fail and the receiver is down for a while', async () => {
  const chats = await waitingChats(12);
  const id = await webhook();
  const successes = new Map<string, number[]>();
  const draw = random(1);
  let attempts = 0;
  const send = async ({ payload }: ClaimedDelivery): Promise<Outcome> => {
    attempts += 1;
    const isDown = attempts > 20 && attempts < 60;
    if (isDown || draw() < 0.3) return failed;
    // Two attempts in flight for one chat would overlap here.
    await new Promise((resolve) => setImmediate(resolve));
    const chat = chatOf(payload);
    successes.set(chat, [...(successes.get(chat) ?? []), Number(payload['snapshot_version'])]);
    return delivered;
  };
  for (let one = 0; one < 3; one += 1) replica(send);
  for (let turn = 0; turn < 6; turn += 1) await endTurns(chats);
  await eventually(async () => expect(await states()).toEqual({ delivered: 72 }));
  expect(attempts).toBeGreaterThan(72 + 39);
  for (const chat of chats) {
    const versions = successes.get(chat) ?? [];
    expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b));
    expect(versions).toHaveLength(6);
  }
  expect(await value(`SELECT count(*)::int FROM failing_targets WHERE target_id = '${id}'`)).toBe(
    0,
  );
});

test('another replica repeats the attempt of a dead replica, before later events of the chat', async () => {
  const [chat = ''] = await waitingChats(1);
  await webhook();
  const begun: number[] = [];
  // The attempt never gets a result, as after kill -9.
  replica(
    async ({ payload }, signal) => {
      begun.push(Number(payload['snapshot_version']));
      await once(signal, 'abort');
      return failed;
    },
    { leaseMs: 300 },
  );
  await endTurns([chat]);
  await endTurns([chat]);
  await eventually(() => expect(begun.length).toBeGreaterThan(0));
  const versions: number[] = [];
  replica(({ payload }) => {
    versions.push(Number(payload['snapshot_version']));
    return delivered;
  });
  const [first = 0] = begun;
  await eventually(() => expect(versions).toContain(first + 1));
  expect(versions[0]).toBe(first);
}, 30_000);

test('a receiver that does not respond delays no other', async () => {
  const chats = await waitingChats(8);
  const slow = await webhook();
  await webhook();
  let inFlight = 0;
  const done: string[] = [];
  const release = Promise.withResolvers<void>();
  replica(async ({ target_id, payload }) => {
    if (target_id === slow) {
      inFlight += 1;
      await release.promise;
      return delivered;
    }
    done.push(chatOf(payload));
    return delivered;
  });
  await endTurns(chats);
  await eventually(() => expect(done.toSorted()).toEqual(chats.toSorted()));
  expect(inFlight).toBe(4);
  release.resolve();
  await eventually(async () => expect(await states()).toEqual({ delivered: 16 }));
});

test('attempts in flight that fail together block a receiver once', async () => {
  const chats = await waitingChats(12);
  const id = await webhook();
  const all = Promise.withResolvers<void>();
  let attempts = 0;
  const send = async (): Promise<Outcome> => {
    attempts += 1;
    if (attempts === 12) all.resolve();
    await all.promise;
    return failed;
  };
  for (let one = 0; one < 3; one += 1) replica(send, { blockMs: 60_000, delayMs: () => 60_000 });
  await endTurns(chats);
  await eventually(async () =>
    expect(await value(`SELECT count(*)::int FROM outbox WHERE last_error IS NOT NULL`)).toBe(12),
  );
  expect(await value(`SELECT failures FROM failing_targets WHERE target_id = '${id}'`)).toBe(5);
});

test('after 24 hours, an event is a dead letter, and the next event of the chat is delivered', async () => {
  const [chat = ''] = await waitingChats(1);
  await webhook();
  let broken = true;
  const versions: number[] = [];
  replica(({ payload }) => {
    if (broken) return failed;
    versions.push(Number(payload['snapshot_version']));
    return delivered;
  });
  await endTurns([chat]);
  await execute(url, `UPDATE outbox SET expires_at = now()`);
  await eventually(async () => expect(await states()).toEqual({ dead: 1 }));
  broken = false;
  await endTurns([chat]);
  await eventually(() => expect(versions).toHaveLength(1));
  expect(await value(`SELECT last_error FROM outbox WHERE state = 'dead'`)).toBe('HTTP 500');
});

test('only turns that end or wait are events, and only of matching chats', async () => {
  const [chat = '', labeled = '', unstored = ''] = await waitingChats(3);
  await webhook('{"source": "ci"}', ['chat.waiting', 'chat.error', 'chat.requires_action']);
  await execute(
    url,
    `UPDATE chats SET labels = '{"source": "ci", "x": "y"}' WHERE id = '${labeled}';
     UPDATE chats SET labels = '{"source": "ci", ".unstored": "true"}' WHERE id = '${unstored}';
     UPDATE chats SET title = 'renamed'`,
  );
  await endTurns([chat, labeled, unstored]);
  // Selecting another version after an error ends no turn.
  await execute(
    url,
    `UPDATE chats SET status = 'error', last_error = '{"kind": "auth", "message": "No key.", "retryable": false}' WHERE id = '${labeled}';
     UPDATE chats SET status = 'waiting' WHERE id = '${labeled}'`,
  );
  expect(await value(`SELECT string_agg(event || ' ' || subject_id, ',') FROM outbox`)).toBe(
    `chat.waiting ${labeled}`,
  );
});

const suspend = (at: string) =>
  execute(url, `UPDATE users SET suspended_at = ${at} WHERE id = '${store.owner}'`);

test('a suspended owner gets no events', async () => {
  const chats = await waitingChats(1);
  await webhook();
  await suspend('now()');
  await endTurns(chats);
  expect(await states()).toEqual({});
  await suspend('NULL');
  await endTurns(chats);
  expect(await states()).toEqual({ pending: 1 });
});

test('the database trigger does not run for other changes of a chat, and writes no event without a target', async () => {
  const [chat = ''] = await waitingChats(1);
  const calls = async () =>
    Number(
      await value(
        `SELECT coalesce(sum(calls), 0) FROM pg_stat_user_functions WHERE funcname LIKE 'announce%'`,
      ),
    );
  await execute(
    url,
    `ALTER DATABASE "${new URL(url).pathname.slice(1)}" SET track_functions = 'all'`,
  );
  const before = await calls();
  await execute(
    url,
    `UPDATE chats SET status = 'running' WHERE id = '${chat}';
     UPDATE chats SET status = 'running', attempt = attempt + 1 WHERE id = '${chat}';
     UPDATE chats SET status = 'interrupting' WHERE id = '${chat}';
     UPDATE chats SET title = 'x' WHERE id = '${chat}'`,
  );
  expect(await calls()).toBe(before);
  await execute(url, `UPDATE chats SET status = 'waiting' WHERE id = '${chat}'`);
  await eventually(async () => expect(await calls()).toBe(before + 1));
  expect(await value(`SELECT count(*)::int FROM outbox`)).toBe(0);
});

test('failed and refused trigger runs, and disabled triggers, are events', async () => {
  await webhook('{"source": "ci"}', ['trigger.failed', 'trigger.disabled']);
  const id = crypto.randomUUID();
  await execute(
    url,
    `INSERT INTO triggers (id, owner_id, name, kind, enabled, cron, timezone, missed, prompt, chat, concurrency, max_failures)
     VALUES ('${id}', '${store.owner}', 'Nightly', 'schedule', true, '0 3 * * *', 'UTC', 'skip', 'Hi',
             '{"labels": {"source": "ci"}}', 'skip', 2);
     INSERT INTO trigger_runs (id, trigger_id, status, reason)
     VALUES (gen_random_uuid(), '${id}', 'done', NULL), (gen_random_uuid(), '${id}', 'refused', 'No such path.');
     INSERT INTO trigger_runs (id, trigger_id, status) VALUES (gen_random_uuid(), '${id}', 'started');
     UPDATE trigger_runs SET status = 'failed', reason = 'It broke.' WHERE trigger_id = '${id}' AND status = 'started';
     UPDATE triggers SET enabled = false, disabled_reason = 'Too many failures.' WHERE id = '${id}'`,
  );
  const rows = await execute<{ event: string; reason: string }>(
    url,
    `SELECT event, payload -> 'trigger' ->> 'reason' AS reason FROM outbox WHERE subject_id = '${id}' ORDER BY id`,
  );
  expect(rows).toEqual([
    { event: 'trigger.failed', reason: 'No such path.' },
    { event: 'trigger.failed', reason: 'It broke.' },
    { event: 'trigger.disabled', reason: 'Too many failures.' },
  ]);
});
