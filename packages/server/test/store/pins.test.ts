import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { createTestDatabase, execute, TestStore } from '@chatd/test-server/database';

const { url } = await createTestDatabase();
const store = await TestStore.open(url);
const LEASE_MS = 30_000;
const holder = randomUUID();
const other = randomUUID();
let id = '';

beforeEach(async () => {
  await execute(url, `TRUNCATE chats CASCADE`);
  ({ id } = await store.create());
  for (const worker of [holder, other]) await store.runner.heartbeat(worker);
  await execute(url, `UPDATE chats SET pinned_worker_id = '${holder}'`);
});

const taken = async (workerId: string) => {
  const named = await store.runner.acquireNamed(workerId, [id], LEASE_MS);
  const swept = await store.runner.acquire(workerId, 10, LEASE_MS);
  return [...named, ...swept].length;
};

test('a pinned chat is left to the worker that holds its sessions', async () => {
  expect(await taken(other)).toBe(0);
  expect(await taken(holder)).toBe(1);
});

test('a dead worker holds no chat', async () => {
  await execute(url, `DELETE FROM workers WHERE id = '${holder}'`);
  expect(await taken(other)).toBe(1);
});

test('any worker can take a pinned chat that its worker does not take within 5 seconds', async () => {
  await execute(url, `UPDATE chats SET active_at = now() - interval '6 seconds'`);
  expect(await taken(other)).toBe(1);
});

test('any worker can take a pinned chat that is only to be interrupted', async () => {
  await store.client.interrupt(id);
  expect(await taken(other)).toBe(1);
});
