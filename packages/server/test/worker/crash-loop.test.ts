import { randomUUID } from 'node:crypto';
import { answer, gate, startFakeProvider, text as says } from '@chatd/testing';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, execute, TestStore } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { modelsAt, newBus, type Replica, startReplica } from './replica.ts';

const { url } = await createTestDatabase();
const store = await TestStore.open(url);
const provider = await startFakeProvider({ api: 'anthropic' });
const bus = newBus();
const replicas: Replica[] = [];

afterEach(async () => {
  for (const replica of replicas.splice(0)) await replica.stop();
  await execute(url, `TRUNCATE chats CASCADE`);
});

async function start(): Promise<Replica> {
  const replica = await startReplica({ url, bus, models: modelsAt(provider.url) });
  replicas.push(replica);
  return replica;
}

/** Acquires the chats for workers that die one after the other: none of these IDs ever has a heartbeat. */
async function acquireAndDie(count: number): Promise<void> {
  for (let died = 0; died < count; died += 1) {
    const acquired = await store.runner.acquire(randomUUID(), 100, 30_000);
    expect(acquired).not.toHaveLength(0);
  }
}

const arrives = (id: string, status: string) =>
  eventually(async () => {
    const chat = await store.read(id);
    expect(chat.status).toBe(status);
    return chat;
  });

test('a chat whose owners died three times in a row ends with an error, and a message resumes it', async () => {
  const { id } = await store.create();
  await acquireAndDie(3);
  const replica = await start();
  const chat = await arrives(id, 'error');
  expect(chat.last_error).toEqual({
    kind: 'crash_loop',
    retryable: false,
    message: expect.stringContaining('died 3 times in a row'),
  });
  expect(chat).toMatchObject({ runner_id: null, worker_id: null });
  expect(provider.requests).toHaveLength(0);

  provider.answer(answer([says('Better now.')]));
  await replica.store.client.send(id, store.message('Again'));
  await arrives(id, 'waiting');
  expect((await store.story(id)).at(-1)).toBe('assistant: Better now.');
});

test('a chat whose owners died twice still runs', async () => {
  const { id } = await store.create();
  await acquireAndDie(2);
  provider.answer(answer([says('Here.')]));
  await start();
  await arrives(id, 'waiting');
});

test('a committed step resets the count of owner deaths', async () => {
  const { id } = await store.create();
  await acquireAndDie(3);
  const { runner_id, history_version } = await store.read(id);
  const said = { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'Half.' }] };
  await store.runner.commitStep(
    id,
    { runner_id: runner_id!, history_version },
    { messages: [said], attempt: 0 },
  );
  await acquireAndDie(1);
  expect(await store.read(id)).toMatchObject({ owner_deaths: 1 });
});

test('a clean handover does not count as a death', async () => {
  const { id } = await store.create();
  for (let time = 0; time < 5; time += 1) {
    const workerId = randomUUID();
    await store.runner.acquire(workerId, 100, 30_000);
    await store.runner.releaseWorker(workerId);
  }
  expect(await store.read(id)).toMatchObject({ owner_deaths: 0 });
});

test('chats with one try left run one after the other', async () => {
  const first = await store.create();
  const second = await store.create();
  await acquireAndDie(3);
  await execute(url, `UPDATE chats SET owner_deaths = 1`);
  const before = provider.requests.length;
  const pause = gate();
  onTestFinished(() => pause.release());
  provider.answer(
    answer([says(['One', pause, '.'])]),
    answer([says('Three.')]),
    answer([says('Two.')]),
  );
  await start();
  await pause.reached;
  const third = await store.create();
  await arrives(third.id, 'waiting');
  expect(provider.requests.length - before).toBe(2);
  pause.release();
  await Promise.all([arrives(first.id, 'waiting'), arrives(second.id, 'waiting')]);
});
