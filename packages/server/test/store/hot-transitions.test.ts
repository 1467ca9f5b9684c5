import { expect, test } from 'vitest';
import type { NewMessage } from '../../src/chat/writes.ts';
import { lockChat } from '../../src/store/queries/chats/lock.ts';
import { statement } from '../../src/store/statement.ts';
import { calls, results, says, TestStore } from '@chatd/test-server/database';
import { blockedBy } from './blocked.ts';

const store = await TestStore.open();
const db = store.database;

/** The beginning of `lockChat`. A step whose chat is locked goes through the transition executor. */
const LOCKING = 'SELECT chats.id';

/** Handles the rejection immediately: it may come before the test awaits it. */
const refusalOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

test('a finish that waited behind a send delivers the message and does not leave it in the queue', async () => {
  const { id } = await store.create();
  const fence = await store.take(id);

  // The send holds the chat and has not committed when the turn wants to end.
  const sending = await db.begin();
  await store.client.send(id, store.message('just in time'), sending);
  const finishing = store.runner.finishTurn(id, fence);
  await blockedBy(store, 'UPDATE chats');
  await sending.commit();

  expect(await finishing).toMatchObject({ status: 'running' });
  expect(await store.read(id)).toMatchObject({ status: 'running', queue_length: 0 });
  expect(await store.story(id)).toEqual(['user: first', 'user: just in time']);
});

test('a finish that waited behind a send that rolled back ends the turn', async () => {
  const { id } = await store.create();
  const fence = await store.take(id);
  const sending = await db.begin();
  await store.client.send(id, store.message('never mind'), sending);
  const finishing = store.runner.finishTurn(id, fence);
  await blockedBy(store, 'UPDATE chats');
  await sending.rollback();

  expect(await finishing).toMatchObject({ status: 'waiting' });
  expect(await store.queue(id)).toEqual([]);
});

test('a commit that waited behind a steering message also delivers it', async () => {
  const { id } = await store.create();
  const fence = await store.take(id);
  const sending = await db.begin();
  await store.client.send(id, store.message('left, please', 'steer'), sending);
  const committing = store.runner.commitStep(id, fence, { messages: [says('going')], attempt: 0 });
  await blockedBy(store, LOCKING);
  await sending.commit();

  expect((await committing).messages.map((message) => message.role)).toEqual(['assistant', 'user']);
  expect(await store.story(id)).toEqual(['user: first', 'assistant: going', 'user: left, please']);
});

test('a commit that waited behind an interrupt writes nothing, and the interruption keeps its content', async () => {
  const { id } = await store.create();
  const fence = await store.take(id);
  const interrupting = await db.begin();
  await store.client.interrupt(id, interrupting);
  const step = { messages: [says('almost done')], attempt: 0 };
  const committing = store.runner.commitStep(id, fence, step);
  const refused = refusalOf(committing);
  await blockedBy(store, LOCKING);
  await interrupting.commit();

  expect(await refused).toMatchObject({ code: 'not_runnable' });
  expect(await store.story(id)).toEqual(['user: first']);
  await store.runner.finishInterruption(id, fence, step);
  expect(await store.story(id)).toEqual(['user: first', 'assistant: almost done']);
});

test('a runner whose chat was taken over cannot commit, even if it waited for the takeover', async () => {
  const { id } = await store.create();
  const zombie = await store.take(id);
  const taking = await db.begin();
  await taking.query(lockChat, { id });
  const committing = store.runner.commitStep(id, zombie, { messages: [says('boo')], attempt: 0 });
  const refused = refusalOf(committing);
  await blockedBy(store, LOCKING);
  await taking.query(
    statement<{ id: string }, never>(
      'test-take',
      'UPDATE chats SET runner_id = gen_random_uuid() WHERE id = :id',
    ),
    { id },
  );
  await taking.commit();

  expect(await refused).toMatchObject({ code: 'lost_lease' });
  expect(await store.story(id)).toEqual(['user: first']);
});

test('repeating a commit whose response was lost returns the first commit', async () => {
  const { id } = await store.create();
  const fence = await store.take(id);
  const step = { messages: [calls('a')], attempt: 0 };
  const first = await store.runner.commitStep(id, fence, step);
  expect(await store.runner.commitStep(id, fence, step)).toMatchObject({
    history_version: first.history_version,
    messages: first.messages.map((message) => ({ id: message.id })),
  });
  expect(await store.story(id)).toEqual(['user: first', 'assistant: call(a)']);

  // The same commit by another runner is not a repetition.
  const stranger = { ...fence, runner_id: crypto.randomUUID() };
  await expect(store.runner.commitStep(id, stranger, step)).rejects.toMatchObject({
    code: 'lost_lease',
  });
});

test('every call gets exactly one result', async () => {
  const { id } = await store.create();
  let fence = await store.take(id);
  const commit = async (message: NewMessage) => {
    const step = { messages: [message], attempt: 0 };
    const { history_version } = await store.runner.commitStep(id, fence, step);
    fence = { ...fence, history_version };
  };
  await commit(calls('a', 'b'));
  await expect(commit(results('c'))).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(commit(results('a', 'a'))).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(commit(calls('d'))).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(store.runner.finishTurn(id, fence)).rejects.toMatchObject({
    code: 'invalid_request',
  });
  await commit(results('b'));
  await expect(commit(results('b'))).rejects.toMatchObject({ code: 'invalid_request' });
  await commit(results('a'));
  expect((await store.read(id)).open_calls).toEqual([]);
});

test('the hot transitions take one statement each', async () => {
  const { id } = await store.create();
  const fence = await store.take(id);
  const statements = await countingStatements(async () => {
    await store.runner.beginAttempt(id, fence, 1);
    const { history_version } = await store.runner.commitStep(id, fence, {
      messages: [says('done')],
      attempt: 1,
      call: {
        kind: 'turn',
        model_config_id: (await store.read(id)).model_config_id,
        usage: { input_tokens: 10, output_tokens: 5 },
        cost_micros: 7,
        runtime_ms: 1200,
      },
    });
    await store.runner.finishTurn(id, { ...fence, history_version });
  });
  // begin, read, commit, finish
  expect(statements).toBe(4);
});

async function countingStatements(work: () => Promise<void>): Promise<number> {
  let count = 0;
  const query = db.query.bind(db);
  db.query = (statement, ...params) => {
    count += 1;
    return query(statement, ...params);
  };
  const begin = db.begin.bind(db);
  db.begin = () => {
    throw new Error('a hot transition took the slow path');
  };
  try {
    await work();
  } finally {
    db.query = query;
    db.begin = begin;
  }
  return count;
}

test('a step can begin the next attempt in the same write', async () => {
  const { id } = await store.create();
  const fence = await store.take(id);
  const step = { messages: [says('going')], attempt: 0, next: 'begin_attempt' as const };
  const committed = await store.runner.commitStep(id, fence, step);
  expect(committed).toMatchObject({ status: 'running', attempt: 1 });
  const { attempt, history_version } = await store.read(id);
  expect({ attempt, history_version }).toEqual({
    attempt: 1,
    history_version: committed.history_version,
  });
});

test('a step can end its turn in the same write', async () => {
  const { id } = await store.create();
  const fence = await store.take(id);
  const step = { messages: [says('done')], attempt: 0, next: 'finish_turn' as const };
  const committed = await store.runner.commitStep(id, fence, step);
  expect(committed).toMatchObject({ status: 'waiting', attempt: 0 });
  expect(await store.read(id)).toMatchObject({
    status: 'waiting',
    runner_id: null,
    worker_id: null,
    snapshot_version: committed.snapshot_version,
  });
  expect(store.changes.at(-1)).toMatchObject({ command: 'finish_turn', id, status: 'waiting' });
  // The response was lost, and the runner repeats the commit.
  expect(await store.runner.commitStep(id, fence, step)).toMatchObject({
    status: 'waiting',
    history_version: committed.history_version,
    messages: [{ role: 'assistant' }],
  });
  expect(await store.story(id)).toEqual(['user: first', 'assistant: done']);
});

test('a step that waited behind a send does not end its turn, but leaves the end to the runner', async () => {
  const { id } = await store.create();
  const fence = await store.take(id);
  const sending = await db.begin();
  await store.client.send(id, store.message('just in time'), sending);
  const step = { messages: [says('done')], attempt: 0, next: 'finish_turn' as const };
  const committing = store.runner.commitStep(id, fence, step);
  await blockedBy(store, LOCKING);
  await sending.commit();

  expect(await committing).toMatchObject({ status: 'running', attempt: 0 });
  expect(await store.read(id)).toMatchObject({ status: 'running', queue_length: 1 });
});

test('a message to an idle chat takes one statement', async () => {
  const { id } = await store.create();
  await store.runner.finishTurn(id, await store.take(id));
  const statements = await countingStatements(async () => {
    await store.client.send(id, store.message('next', 'interrupt'));
  });
  expect(statements).toBe(1);
});

test('a message that waited behind another send is queued', async () => {
  const { id } = await store.create();
  await store.runner.finishTurn(id, await store.take(id));
  const sending = await db.begin();
  await store.client.send(id, store.message('one'), sending);
  const second = store.client.send(id, store.message('two'));
  await blockedBy(store, 'UPDATE chats');
  await sending.commit();
  expect(await second).toMatchObject({ queued: { busy_behavior: 'queue' } });
  expect(await store.story(id)).toEqual(['user: first', 'user: one']);
});

test('a message that waited behind another change does not state which version it follows', async () => {
  const { id } = await store.create();
  await store.runner.finishTurn(id, await store.take(id));
  const renaming = await db.begin();
  await store.client.update(id, { title: 'Renamed' }, renaming);
  const sending = store.client.send(id, store.message('next'));
  await blockedBy(store, 'UPDATE chats');
  await renaming.commit();
  expect(await sending).toMatchObject({ chat: { title: 'Renamed' }, messages: [{ role: 'user' }] });
  // The two commits are on different connections, so either may be reported first.
  const sent = store.changes.filter(
    (change) => change.id === id && change.command === 'send_queue',
  );
  expect(sent).toHaveLength(1);
  expect(sent[0]).not.toHaveProperty('entered');
});
