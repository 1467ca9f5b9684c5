import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { changeApprovals } from '../../src/store/approvals.ts';
import { calls, execute, LEASE_MS, says, TestStore } from '@chatd/test-server/database';
import { blockedBy } from './blocked.ts';

const store = await TestStore.open();
beforeEach(async () => {
  await execute(store.url, 'TRUNCATE chats, workers CASCADE');
  await store.runner.heartbeat(store.worker);
});

const takeUp = async (id: string, worker = store.worker, lease = LEASE_MS) => {
  const { taken } = await store.runner.takeUp(worker, [id], lease);
  return taken[0];
};

const release = async (id: string, runner_id: string) => {
  expect(await store.runner.release(id, runner_id)).toBe(true);
};

test('acquiring a chat that needs a model response begins its first attempt', async () => {
  const { id } = await store.create();
  store.changes.length = 0;
  const { chat, begun } = (await takeUp(id))!;
  expect(begun).toBe(true);
  expect(chat).toMatchObject({ attempt: 1, snapshot_version: 2, history_version: 1 });
  expect(chat).toEqual(await store.read(id));
  expect(store.changes).toMatchObject([
    { command: 'begin_attempt', id, status: 'running', snapshot_version: 2 },
  ]);

  const fence = { runner_id: chat.runner_id!, history_version: chat.history_version };
  await store.runner.commitStep(id, fence, { messages: [says('hello')], attempt: 1 });
  expect(await store.story(id)).toEqual(['user: first', 'assistant: hello']);
});

test('an acquired chat no longer waits for capacity', async () => {
  const { id } = await store.create();
  await store.runner.waitForCapacity(id);
  const waiting = await store.read(id);
  const taken = (await takeUp(id))!;
  expect(taken.chat.queued_for_capacity).toBe(false);
  expect(taken.waitingSince).toEqual(waiting.updated_at);
});

test('a chat with open calls is acquired unchanged', async () => {
  const { id } = await store.create();
  const fence = await store.take(id);
  await store.runner.commitStep(id, fence, { messages: [calls('a')], attempt: 0 });
  await release(id, fence.runner_id);
  const before = await store.read(id);
  store.changes.length = 0;
  const { chat, begun } = (await takeUp(id))!;
  expect(begun).toBe(false);
  const { runner_id, worker_id } = chat;
  expect(chat).toEqual({ ...before, runner_id, worker_id });
  expect(store.changes).toEqual([]);
});

test('a chat with a compaction request is acquired unchanged', async () => {
  const { id } = await store.create();
  const fence = await store.take(id);
  await store.runner.commitStep(id, fence, {
    messages: [says('hello')],
    attempt: 0,
    next: 'finish_turn',
  });
  await store.client.requestCompaction(id);
  expect(await takeUp(id)).toMatchObject({ begun: false, chat: { attempt: 0 } });
});

test('a turn that began on another worker is acquired unchanged, and its next attempt is the second', async () => {
  const { id } = await store.create();
  // This worker is not registered, so the chat stays free.
  await takeUp(id, randomUUID());
  const { chat, begun } = (await takeUp(id))!;
  expect(begun).toBe(false);
  expect(chat.attempt).toBe(1);
  const fence = { runner_id: chat.runner_id!, history_version: chat.history_version };
  await store.runner.beginAttempt(id, fence, 2);
  expect(await store.read(id)).toMatchObject({ attempt: 2 });
});

test('an acquisition that waits behind an interrupt begins no attempt', async () => {
  const { id } = await store.create();
  const interrupting = await store.database.begin();
  await store.client.interrupt(id, interrupting);
  const taking = takeUp(id);
  await blockedBy(store, 'WITH candidate');
  await interrupting.commit();
  expect(await taking).toMatchObject({
    begun: false,
    chat: { status: 'interrupting', attempt: 0 },
  });
});

test('only one of several workers acquires a chat, and its attempt begins once', async () => {
  const { id } = await store.create();
  const others = [randomUUID(), randomUUID(), randomUUID()];
  await Promise.all(others.map((worker) => store.runner.heartbeat(worker)));
  const taken = await Promise.all(others.map((worker) => takeUp(id, worker)));
  expect(taken.filter((one) => one !== undefined)).toHaveLength(1);
  expect(await store.read(id)).toMatchObject({ attempt: 1, snapshot_version: 2 });
});

test("an acquisition returns the approval rules of the chat's owner", async () => {
  const { id } = await store.create();
  const rules = [{ pattern: 'add', action: 'allow' as const }];
  const stored = await changeApprovals(store.database, store.owner, rules);
  expect(await takeUp(id)).toMatchObject({ approvals: stored });
  const other = await store.create();
  await changeApprovals(store.database, store.owner, []);
  expect(await takeUp(other.id)).toMatchObject({ approvals: [] });
});

test('the chats of a user with more active chats than the limit are held back', async () => {
  const chats = [await store.create(), await store.create(), await store.create()];
  const ids = chats.map(({ id }) => id);
  const beyond = await store.runner.takeUp(store.worker, ids, LEASE_MS, 2);
  expect(beyond).toEqual({ taken: [], heldBack: 3 });
  const within = await store.runner.takeUp(store.worker, ids, LEASE_MS, 3);
  expect(within).toMatchObject({ heldBack: 0 });
  expect(within.taken.map(({ chat }) => chat.id).sort()).toEqual(ids.sort());
});

test('running chats count toward the limit, finished chats do not', async () => {
  const running = await store.create();
  await takeUp(running.id);
  const { id } = await store.create();
  expect((await store.runner.takeUp(store.worker, [id], LEASE_MS, 1)).heldBack).toBe(1);
  const { runner_id, history_version } = await store.read(running.id);
  const step = { messages: [says('done')], attempt: 1, next: 'finish_turn' } as const;
  await store.runner.commitStep(running.id, { runner_id: runner_id!, history_version }, step);
  const { taken, heldBack } = await store.runner.takeUp(store.worker, [id], LEASE_MS, 1);
  expect(heldBack).toBe(0);
  expect(taken).toHaveLength(1);
});

test('the limit of one user holds back neither the chats of another user nor an interrupted chat', async () => {
  const other = await TestStore.open(store.url);
  const { id: theirs } = await other.create();
  const { id: first } = await store.create();
  const { id: stopped } = await store.create();
  await store.client.interrupt(stopped);
  const ids = [theirs, first, stopped];
  const { taken, heldBack } = await store.runner.takeUp(store.worker, ids, LEASE_MS, 1);
  expect(taken.map(({ chat }) => chat.id).sort()).toEqual([theirs, stopped].sort());
  expect(heldBack).toBe(2);
});

/** How many of these workers acquire the chat that each of them creates, with a limit of 4 per user. */
async function race(workers: number): Promise<number> {
  const taken = await Promise.all(
    Array.from({ length: workers }, async () => {
      const worker = randomUUID();
      await store.runner.heartbeat(worker);
      const { id } = await store.create();
      return (await store.runner.takeUp(worker, [id], LEASE_MS, 4)).taken.length;
    }),
  );
  return taken.reduce((sum, count) => sum + count, 0);
}

test('workers that acquire at the same time stay within the limit', async () => {
  expect(await race(3)).toBe(3);
  // At most one: none if all chats exist before the first is acquired.
  expect(await race(8)).toBeLessThanOrEqual(1);
  expect(await race(3)).toBe(0);
});
