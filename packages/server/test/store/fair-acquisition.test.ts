import { beforeEach, expect, test } from 'vitest';
import { chooseWithin } from '../../src/worker/capacity.ts';
import { execute, LEASE_MS, TestStore } from '@chatd/test-server/database';

const ann = await TestStore.open();
const ben = await TestStore.open(ann.url);
const eve = await TestStore.open(ann.url);
beforeEach(async () => {
  await execute(ann.url, 'TRUNCATE chats, workers CASCADE');
  await ann.runner.heartbeat(ann.worker);
});

/** The users whose chats a worker with capacity for one chat at a time acquires, in order. */
async function order(): Promise<string[]> {
  const names = new Map<string, string>([
    [ann.owner, 'ann'],
    [ben.owner, 'ben'],
    [eve.owner, 'eve'],
  ]);
  const taken: string[] = [];
  for (;;) {
    const acquired = await ann.runner.acquireWithin(
      ann.worker,
      LEASE_MS,
      (runnable, running) =>
        chooseWithin({ here: 1, everywhere: null, perUser: null }, runnable, running).chosen,
    );
    const [chat] = acquired.taken;
    if (chat === undefined) return taken;
    taken.push(names.get(chat.owner_id) ?? '');
  }
}

test('users take turns, however many older chats one of them has', async () => {
  for (let index = 0; index < 4; index += 1) await ann.create();
  await ben.create();
  await eve.create();
  await ben.create();
  expect(await order()).toEqual(['ann', 'ben', 'eve', 'ann', 'ben', 'ann', 'ann']);
});

test('a user with more waiting chats than a worker reads at a time does not hide other users', async () => {
  await ann.create();
  await execute(
    ann.url,
    `INSERT INTO chats SELECT (chats).* FROM (
       SELECT jsonb_populate_record(chats, jsonb_build_object('id', gen_random_uuid())) AS chats
         FROM chats, generate_series(1, 1500)) AS copies`,
  );
  const { id } = await ben.create();
  const seen: string[] = [];
  const { left } = await ann.runner.acquireWithin(ann.worker, LEASE_MS, (runnable) => {
    seen.push(...runnable.map((chat) => chat.id));
    return [];
  });
  expect(seen[1]).toBe(id);
  expect(left).toHaveLength(101);
});

test('a sweep without limits also alternates between users', async () => {
  for (let index = 0; index < 3; index += 1) await ann.create();
  await ben.create();
  const taken = await ann.runner.acquire(ann.worker, 2, LEASE_MS);
  expect(taken.map((chat) => chat.owner_id).sort()).toEqual([ann.owner, ben.owner].sort());
});
