import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { execute, LEASE_MS, says, TestStore } from '@chatd/test-server/database';

const store = await TestStore.open();
beforeEach(() => execute(store.url, 'TRUNCATE chats, workers CASCADE'));

/** Makes the last heartbeat of the worker this old. */
const silence = (worker: string, ms: number) =>
  execute(
    store.url,
    `UPDATE workers SET heartbeat_at = clock_timestamp() - interval '${ms} milliseconds'
      WHERE id = '${worker}'`,
  );

const acquire = (worker: string, limit = 10, lease = LEASE_MS) =>
  store.runner.acquire(worker, limit, lease);

test('workers that race for 1,000 chats get each chat once', async () => {
  const ids = new Set<string>();
  for (let n = 0; n < 1000; n += 100) {
    const chats = await Promise.all(Array.from({ length: 100 }, () => store.create()));
    for (const { id } of chats) ids.add(id);
  }
  const owners = new Map<string, string>();
  const race = async (worker: string) => {
    await store.runner.heartbeat(worker);
    while (owners.size < ids.size) {
      for (const { id, worker_id } of await acquire(worker, 7)) {
        expect(owners.get(id), 'acquired twice').toBeUndefined();
        expect(worker_id).toBe(worker);
        owners.set(id, worker);
      }
    }
  };
  const workers = [randomUUID(), randomUUID(), randomUUID()];
  await Promise.all(workers.map(race));
  expect(new Set(owners.keys())).toEqual(ids);
});

test('a worker that sends heartbeats keeps its chats; a silent worker loses them', async () => {
  const { id } = await store.create();
  const [old, young] = [randomUUID(), randomUUID()];
  await store.runner.heartbeat(old);
  const [taken] = await acquire(old);
  expect(taken).toMatchObject({ id, worker_id: old });
  expect(await acquire(young)).toEqual([]);

  // The lease is shorter than the uptime of the test's PostgreSQL, so its start does not count.
  await silence(old, 60_000);
  const [again] = await acquire(young, 10, 50);
  expect(again).toMatchObject({ id, worker_id: young });
  expect(again!.runner_id).not.toBe(taken!.runner_id);
  expect(await store.runner.heartbeat(old)).toEqual([]);
  expect(await store.runner.heartbeat(young)).toMatchObject([
    { id, runner_id: again!.runner_id, status: 'running' },
  ]);
});

test('leases count from the start of PostgreSQL: an outage expires no lease', async () => {
  await store.create();
  const [old, young] = [randomUUID(), randomUUID()];
  await store.runner.heartbeat(old);
  await acquire(old);
  await silence(old, 3_600_000);
  // The lease is longer than the uptime of this PostgreSQL: its holder may still renew it.
  expect(await acquire(young, 10, 3_000_000)).toEqual([]);
});

test('a chat of an unregistered worker is free', async () => {
  const { id } = await store.create();
  const ghost = randomUUID();
  await acquire(ghost);
  expect(await acquire(store.worker)).toMatchObject([{ id }]);
});

test('a runner that lost its lease cannot write', async () => {
  const { id } = await store.create();
  const zombie = randomUUID();
  const [taken] = await acquire(zombie);
  const fence = { runner_id: taken!.runner_id!, history_version: taken!.history_version };
  await acquire(store.worker);
  const refusal = { code: 'lost_lease' };
  const step = { messages: [says('boo')], attempt: 0 };
  const error = { kind: 'generic', message: 'x', retryable: false } as const;
  await expect(store.runner.beginAttempt(id, fence, 1)).rejects.toMatchObject(refusal);
  await expect(store.runner.commitStep(id, fence, step)).rejects.toMatchObject(refusal);
  await expect(store.runner.finishTurn(id, fence)).rejects.toMatchObject(refusal);
  await expect(store.runner.fail(id, fence, error)).rejects.toMatchObject(refusal);
  expect(await store.runner.release(id, fence.runner_id)).toBe(false);
  await store.client.interrupt(id);
  await expect(store.runner.finishInterruption(id, fence, step)).rejects.toMatchObject(refusal);
  expect(await store.story(id)).toEqual(['user: first']);
});

test('a locked chat is left for the next sweep', async () => {
  const { id } = await store.create();
  const sending = await store.database.begin();
  await store.client.send(id, store.message('x'), sending);
  expect(await acquire(store.worker)).toEqual([]);
  await sending.commit();
  expect(await acquire(store.worker)).toMatchObject([{ id }]);
});

test('a released chat can be acquired immediately, oldest activity first', async () => {
  const a = await store.create();
  const b = await store.create();
  await store.runner.heartbeat(store.worker);
  const [first] = await acquire(store.worker, 1);
  expect(first!.id).toBe(a.id);
  await store.runner.release(a.id, first!.runner_id!);
  expect(await acquire(store.worker, 1)).toMatchObject([{ id: a.id }]);
  expect(await acquire(store.worker, 1)).toMatchObject([{ id: b.id }]);
});
