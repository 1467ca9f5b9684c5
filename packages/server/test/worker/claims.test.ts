import { answer, gate, startFakeProvider, text as says } from '@chatd/testing';
import {
  createTestDatabase,
  execute,
  NEW_CHAT,
  TestStore,
  text,
} from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { Client } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import type { Bus } from '../../src/bus/bus.ts';
import { ADVISORY_LOCKS } from '../../src/postgres/advisory-locks.ts';
import type { Transaction } from '../../src/store/transaction.ts';
import { modelsAt, newBus, type Replica, type ReplicaOptions, startReplica } from './replica.ts';

const { url } = await createTestDatabase();
const store = await TestStore.open(url);
const provider = await startFakeProvider({ api: 'anthropic' });
const replicas: Replica[] = [];
const NEVER = 2 ** 30;

afterEach(async () => {
  for (const replica of replicas.splice(0)) await replica.stop();
  await execute(url, `TRUNCATE chats CASCADE; TRUNCATE workers; UPDATE settings SET value = '{}'`);
});

/** A bus that loses all messages, so that a worker acquires nothing between its sweeps. */
function silentBus(): Bus {
  const bus = newBus();
  bus.publish = () => undefined;
  return bus;
}

function hasCapacity({ worker }: Replica): boolean {
  const reserved = worker.reserve(store.owner);
  reserved?.cancel();
  return reserved !== undefined;
}

/** A worker reserves capacity once it has read the settings. */
async function start(options: ReplicaOptions & { bus?: Bus } = {}): Promise<Replica> {
  const models = modelsAt(provider.url);
  const replica = await startReplica({ url, bus: silentBus(), models, sweepMs: NEVER, ...options });
  replicas.push(replica);
  await eventually(() => expect(hasCapacity(replica)).toBe(true));
  return replica;
}

const create = async (replica: Replica, content = 'hello', tx?: Transaction, over: object = {}) => {
  const { chat } = await replica.store.creation.createRequested(
    {
      ...NEW_CHAT,
      id: crypto.randomUUID(),
      owner_id: store.owner,
      content: text(content),
      ...over,
    },
    tx,
  );
  return chat;
};

const arrives = (id: string, status: string) =>
  eventually(async () => {
    const chat = await store.read(id);
    expect(chat.status).toBe(status);
    return chat;
  });

const answers = (count: number) =>
  provider.answer(...Array.from({ length: count }, () => answer([says('Hi')])));

const set = async (settings: object) => {
  await execute(url, `UPDATE settings SET value = '${JSON.stringify(settings)}'`);
};

test('a process runs the chat that it creates, and the next message, without a notification', async () => {
  const replica = await start();
  answers(2);
  const { id, ...chat } = await create(replica);
  expect(chat).toMatchObject({
    status: 'running',
    worker_id: replica.workerId,
    attempt: 1,
    snapshot_version: 1,
    history_version: 1,
  });
  const { snapshot_version } = await arrives(id, 'waiting');
  const sent = await replica.store.client.send(id, store.message('again'));
  expect(sent.chat).toMatchObject({
    status: 'running',
    worker_id: replica.workerId,
    attempt: 1,
    snapshot_version: snapshot_version + 1,
    history_version: snapshot_version + 1,
  });
  await arrives(id, 'waiting');
  expect(await store.story(id)).toEqual([
    'user: hello',
    'assistant: Hi',
    'user: again',
    'assistant: Hi',
  ]);
});

test('a chat that is created in a transaction runs after the commit', async () => {
  const replica = await start();
  answers(1);
  const asked = provider.requests.length;
  const { id } = await replica.store.database.transaction(async (tx) => {
    const chat = await create(replica, 'hello', tx);
    expect(chat.worker_id).toBe(replica.workerId);
    expect(replica.worker.running).toBe(0);
    return chat;
  });
  await arrives(id, 'waiting');
  expect(provider.requests.length).toBe(asked + 1);
});

test('a claim that fails frees its capacity', async () => {
  const replica = await start({ concurrency: 1 });
  const rolledBack = replica.store.database.transaction(async (tx) => {
    await create(replica, 'rolled back', tx);
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  const noModel = create(replica, 'x', undefined, { model_config_id: crypto.randomUUID() });
  await expect(noModel).rejects.toThrow(/model/i);
  const { id } = await store.create();
  await expect(create(replica, 'x', undefined, { id })).rejects.toThrow(/duplicate/);
  await replica.store.client.send(id, store.message('queued'));
  answers(1);
  const next = await create(replica);
  expect(next.worker_id).toBe(replica.workerId);
  await arrives(next.id, 'waiting');
});

test.each([
  ['a summary is requested', `compaction_requested = true`],
  [
    'another worker holds its MCP sessions',
    `pinned_worker_id = '00000000-0000-7000-8000-000000000000'`,
  ],
])('an idle chat is not claimed if %s', async (_, change) => {
  const replica = await start();
  answers(1);
  const { id } = await create(replica);
  await arrives(id, 'waiting');
  await execute(url, `UPDATE chats SET ${change} WHERE id = '${id}'`);
  const { chat } = await replica.store.client.send(id, store.message('again'));
  expect(chat).toMatchObject({ status: 'running', runner_id: null, worker_id: null, attempt: 0 });
});

test('concurrent claims and acquisitions stay within the concurrency, and no chat is left', async () => {
  let most = 0;
  const bus = newBus();
  const replica: Replica = await start({
    bus,
    concurrency: 3,
    sweepMs: 50,
    beforeCall: async () => {
      most = Math.max(most, replica.worker.running);
    },
  });
  answers(60);
  const foreign = Array.from({ length: 20 }, async () => {
    const chat = await store.create();
    bus.publish('changes', { command: 'create', id: chat.id, status: 'running' });
    return chat;
  });
  const own = Array.from({ length: 40 }, () => create(replica));
  const chats = await Promise.all([...own, ...foreign]);
  for (const { id } of chats) await arrives(id, 'waiting');
  for (const { id } of chats) expect(await store.story(id)).toHaveLength(2);
  expect(most).toBe(3);
});

test('no chat is claimed while max_running_chats is set, nor beyond the concurrency', async () => {
  const replica = await start({ concurrency: 1 });
  const pause = gate();
  provider.answer(answer([says(['One', pause])]));
  const first = await create(replica);
  await pause.reached;
  expect((await create(replica)).runner_id).toBeNull();
  pause.release();
  await arrives(first.id, 'waiting');
  await set({ max_running_chats: 10 });
  await eventually(() => expect(hasCapacity(replica)).toBe(false));
  expect((await create(replica)).runner_id).toBeNull();
});

test('a chat is claimed while a sweep waits', async () => {
  await set({ max_running_chats_per_user: 64 });
  const replica = await start({ sweepMs: 20 });
  const locker = new Client({ connectionString: url });
  await locker.connect();
  await locker.query(`BEGIN; SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.capacity.join(', ')})`);
  answers(2);
  const waiting = await store.create();
  await eventually(async () => {
    const { rows } = await locker.query(`SELECT FROM pg_locks WHERE NOT granted`);
    expect(rows).toHaveLength(1);
  });
  const created = await create(replica);
  expect(created.worker_id).toBe(replica.workerId);
  await locker.end();
  for (const { id } of [created, waiting]) await arrives(id, 'waiting');
});

test('chats of other users cause no sweep for a user at the limit', async () => {
  const replica = await start({ bus: newBus() });
  await set({ max_running_chats_per_user: 1 });
  const other = await TestStore.open(url);
  const sweeps = vi.spyOn(replica.store.runner, 'acquireWithin');
  const pause = gate();
  provider.answer(answer([says(['One', pause])]));
  const first = await create(replica);
  await pause.reached;
  const second = await create(replica);
  await eventually(async () =>
    expect(await store.read(second.id)).toMatchObject({ queued_for_capacity: true }),
  );
  const before = sweeps.mock.calls.length;
  answers(5);
  for (let count = 0; count < 3; count += 1) {
    const theirs = await create(replica, 'hello', undefined, { owner_id: other.owner });
    await arrives(theirs.id, 'waiting');
  }
  const third = await create(replica);
  expect(sweeps.mock.calls.length).toBe(before);
  pause.release();
  for (const { id } of [first, second, third]) await arrives(id, 'waiting');
});

test('claims of two replicas and acquisitions stay within the limit of the user', async () => {
  await set({ max_running_chats_per_user: 36 });
  const bus = newBus();
  let [most, claimed] = [0, 0];
  const options = {
    bus,
    sweepMs: 50,
    beforeCall: async () => {
      most = Math.max(
        most,
        pair.reduce((sum, { worker }) => sum + worker.running, 0),
      );
      await hold;
    },
  };
  const { promise: hold, resolve } = Promise.withResolvers<void>();
  const pair: Replica[] = [];
  pair.push(await start(options), await start(options));
  answers(80);
  const chats = await Promise.all(
    Array.from({ length: 80 }, (_, index) => create(pair[index % 2]!)),
  );
  claimed = chats.filter(({ runner_id }) => runner_id !== null).length;
  await eventually(() => expect(most).toBe(36));
  resolve();
  for (const { id } of chats) await arrives(id, 'waiting');
  expect(most).toBe(36);
  expect(claimed).toBeGreaterThan(0);
});

test('another worker does not acquire a claimed chat, and takes it over if its worker is dead', async () => {
  const [replica, other] = [await start(), await start()];
  const pause = gate();
  provider.answer(answer([says(['One', pause])]));
  const { id } = await create(replica);
  await pause.reached;
  expect((await other.store.runner.takeUp(other.workerId, [id], 30_000)).taken).toEqual([]);
  pause.release();
  await arrives(id, 'waiting');

  // The process died between the commit and the start of the run.
  const dead = crypto.randomUUID();
  await execute(
    url,
    `INSERT INTO workers (id, heartbeat_at) VALUES ('${dead}', now() - interval '1 hour')`,
  );
  const lost = await store.create();
  await execute(
    url,
    `UPDATE chats SET worker_id = '${dead}', runner_id = gen_random_uuid(), attempt = 1 WHERE id = '${lost.id}'`,
  );
  answers(1);
  await start({ leaseMs: 100, sweepMs: 50 });
  await arrives(lost.id, 'waiting');
  expect(await store.story(lost.id)).toHaveLength(2);
});

test('a worker without a recent heartbeat claims nothing', async () => {
  const replica = await start({ leaseMs: 500 });
  const locker = new Client({ connectionString: url });
  await locker.connect();
  await locker.query('BEGIN; LOCK TABLE workers IN ACCESS EXCLUSIVE MODE');
  await eventually(() => expect(hasCapacity(replica)).toBe(false));
  expect((await create(replica)).runner_id).toBeNull();
  await locker.end();
});

test('a worker that closes claims nothing more, and releases what is being claimed', async () => {
  const replica = await start({ handOverMs: 30_000 });
  const created = Promise.withResolvers<string>();
  const commit = Promise.withResolvers<void>();
  const transaction = replica.store.database.transaction(async (tx) => {
    const { id, worker_id } = await create(replica, 'in progress', tx);
    expect(worker_id).toBe(replica.workerId);
    created.resolve(id);
    await commit.promise;
  });
  const id = await created.promise;
  const closed = replica.worker.close();
  expect((await create(replica)).runner_id).toBeNull();
  commit.resolve();
  await transaction;
  await closed;
  expect(await store.read(id)).toMatchObject({
    status: 'running',
    runner_id: null,
    owner_deaths: 0,
  });
});
