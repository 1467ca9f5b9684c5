import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import type { Fence } from '../../src/chat/fence.ts';
import type { Step } from '../../src/chat/transitions/commit-step.ts';
import { StepBatches } from '../../src/store/commands/step-batches.ts';
import { toJson } from '../../src/store/json.ts';
import { commitSteps } from '../../src/store/queries/runs/commit-steps.ts';
import { statement } from '../../src/store/statement.ts';
import { DatabaseUnavailable } from '../../src/store/unavailable.ts';
import { FAULTS, startFaultProxy } from '../support/fault-proxy.ts';
import { calls, DEMO_MODEL, LEASE_MS, says, TestStore } from '@chatd/test-server/database';
import { blockedBy } from './blocked.ts';

/* Steps of several chats that become ready together share one statement. */

const store = await TestStore.open();
const proxy = await startFaultProxy(store.url);
afterAll(() => proxy.close());
const faulty = await TestStore.open(proxy.url);

const CALL = {
  kind: 'turn',
  model_config_id: DEMO_MODEL,
  usage: { input_tokens: 5 },
  cost_micros: 7,
  runtime_ms: 1,
} as const;

interface RunningChat {
  readonly id: string;
  readonly fence: Fence;
}

async function runningChats(count: number): Promise<RunningChat[]> {
  const chats = [];
  for (let n = 0; n < count; n += 1) {
    const { id } = await store.create();
    chats.push({ id, fence: await store.take(id) });
  }
  return chats;
}

const stepOf = (text: string, over: Partial<Step> = {}): Step => ({
  messages: [says(text)],
  attempt: 0,
  call: CALL,
  ...over,
});

const commitAll = (chats: readonly RunningChat[], by: TestStore = store) =>
  Promise.allSettled(
    chats.map(({ id, fence }) => by.runner.commitStep(id, fence, stepOf(`of ${id}`))),
  );

const lockChat = statement<{ id: string }, { id: string }>(
  'test-lock-chat',
  `SELECT id FROM chats WHERE id = :id FOR NO KEY UPDATE`,
);

const countCalls = statement<{ chat_id: string }, { calls: number; cost: number }>(
  'test-count-calls',
  `SELECT count(*) AS calls, coalesce(sum(cost_micros), 0)::bigint AS cost FROM model_calls WHERE chat_id = :chat_id`,
);

async function expectCommittedOnce({ id }: RunningChat, text = `of ${id}`): Promise<void> {
  expect(await store.story(id)).toEqual(['user: first', `assistant: ${text}`]);
  expect(await store.database.query(countCalls, { chat_id: id })).toEqual([{ calls: 1, cost: 7 }]);
}

async function expectNothingWritten({ id }: RunningChat): Promise<void> {
  expect(await store.story(id)).toEqual(['user: first']);
  expect(await store.database.query(countCalls, { chat_id: id })).toEqual([{ calls: 0, cost: 0 }]);
}

/** How many steps each statement had. */
async function batchesOf(work: () => Promise<unknown>): Promise<number[]> {
  const sizes: number[] = [];
  const { database } = store;
  const query = database.query.bind(database);
  database.query = (sent, ...params) => {
    const [values] = params as unknown as [{ steps: string }];
    if (sent.name === commitSteps.name) sizes.push((JSON.parse(values.steps) as []).length);
    return query(sent, ...params);
  };
  try {
    await work();
  } finally {
    database.query = query;
  }
  return sizes;
}

test('steps that are ready together share one statement, and each runner gets its own result', async () => {
  const chats = await runningChats(5);
  const changesBefore = store.changes.length;
  let settled: Awaited<ReturnType<typeof commitAll>> = [];
  expect(await batchesOf(async () => (settled = await commitAll(chats)))).toEqual([5]);
  for (const [index, chat] of chats.entries()) {
    await expectCommittedOnce(chat);
    const [, message] = await store.history(chat.id);
    const { snapshot_version } = await store.read(chat.id);
    expect(settled[index]).toMatchObject({
      status: 'fulfilled',
      value: { snapshot_version, history_version: snapshot_version, messages: [message] },
    });
  }
  const changed = store.changes.slice(changesBefore).map(({ command, id }) => ({ command, id }));
  expect(changed).toEqual(chats.map(({ id }) => ({ command: 'commit_step', id })));
});

test('steps that arrive while two statements run share the next one', async () => {
  const chats = await runningChats(5);
  const sizes = await batchesOf(async () => {
    const first = commitAll(chats.slice(0, 1));
    await nextTurn();
    const second = commitAll(chats.slice(1, 2));
    await nextTurn();
    await Promise.all([first, second, commitAll(chats.slice(2))]);
  });
  expect(sizes).toEqual([1, 1, 3]);
});

const commit = ({ id, fence }: RunningChat, over: Partial<Step>) =>
  store.runner.commitStep(id, fence, stepOf('next', over));

test('each step of a batch leads to its own next state', async () => {
  const [nothing, attempt, end, open] = await runningChats(4);
  if (!nothing || !attempt || !end || !open) throw new Error('no chats');
  const settled = Promise.all([
    commit(nothing, {}),
    commit(attempt, { next: 'begin_attempt' }),
    commit(end, { next: 'finish_turn' }),
    commit(open, { messages: [calls('a')] }),
  ]);
  expect((await settled).map(({ status, attempt }) => [status, attempt])).toEqual([
    ['running', 0],
    ['running', 1],
    ['waiting', 0],
    ['running', 0],
  ]);
  const rows = await Promise.all([nothing, attempt, end, open].map(({ id }) => store.read(id)));
  expect(
    rows.map(({ status, attempt, open_calls }) => [status, attempt, open_calls.length]),
  ).toEqual([
    ['running', 0, 0],
    ['running', 1, 0],
    ['waiting', 0, 0],
    ['running', 0, 1],
  ]);
});

test('a locked chat does not hold back the others, and its step is committed once it is unlocked', async () => {
  const [locked, ...others] = await runningChats(3);
  if (locked === undefined) throw new Error('no chat');
  const sending = await store.database.begin();
  await store.client.send(locked.id, store.message('just in time', 'steer'), sending);
  const waiting = commitAll([locked]);
  await commitAll(others);
  for (const chat of others) await expectCommittedOnce(chat);
  await blockedBy(store, 'SELECT chats.id');
  await sending.commit();
  expect(await waiting).toMatchObject([{ status: 'fulfilled', value: { status: 'running' } }]);
  expect(await store.story(locked.id)).toEqual([
    'user: first',
    `assistant: of ${locked.id}`,
    'user: just in time',
  ]);
});

test('the step of a chat that was locked but not changed is committed', async () => {
  const [locked, ...others] = await runningChats(3);
  if (locked === undefined) throw new Error('no chat');
  await store.database.query(lockChat, { id: locked.id });
  await commitAll([locked, ...others]);
  for (const chat of [locked, ...others]) await expectCommittedOnce(chat);
});

test('a runner that has lost its chat is refused, and the others commit', async () => {
  const [lost, ...others] = await runningChats(3);
  if (lost === undefined) throw new Error('no chat');
  const zombie = { ...lost, fence: { ...lost.fence, runner_id: crypto.randomUUID() } };
  const [refused, ...settled] = await commitAll([zombie, ...others]);
  expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'lost_lease' } });
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  await expectNothingWritten(lost);
});

test('a step that PostgreSQL refuses fails alone', async () => {
  const [bad, ...others] = await runningChats(3);
  if (bad === undefined) throw new Error('no chat');
  const failing = store.runner.commitStep(
    bad.id,
    bad.fence,
    stepOf('bad', { call: { ...CALL, runtime_ms: 2 ** 80 } }),
  );
  const [failed, settled] = await Promise.all([
    failing.then(
      () => null,
      (error: unknown) => error,
    ),
    commitAll(others),
  ]);
  expect(failed).toMatchObject({ code: '22P02' });
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  await expectNothingWritten(bad);
  for (const chat of others) await expectCommittedOnce(chat);
});

describe('an error at the statement of a batch', () => {
  afterEach(() => proxy.watch());

  test.each(FAULTS)('%s: every step is committed once', async (fault) => {
    const chats = await runningChats(3);
    let failed = 0;
    proxy.watch(({ name }) => {
      if (name !== commitSteps.name || failed > 0) return undefined;
      failed += 1;
      return fault;
    });
    const settled = await commitAll(chats, faulty);
    expect(failed).toBe(1);
    expect(settled.map(({ status }) => status)).toEqual(chats.map(() => 'fulfilled'));
    for (const chat of chats) await expectCommittedOnce(chat);
  });

  test.each(FAULTS)(
    '%s, and again at one of its steps: only that step fails, and can be retried',
    async (fault) => {
      const chats = await runningChats(3);
      let statements = 0;
      proxy.watch(({ name }) => {
        if (name !== commitSteps.name) return undefined;
        statements += 1;
        return statements <= 2 ? fault : undefined;
      });
      const settled = await commitAll(chats, faulty);
      const failed = settled.flatMap((result, index) =>
        result.status === 'rejected' ? [{ chat: chats[index], error: result.reason }] : [],
      );
      expect(failed).toHaveLength(1);
      for (const { chat, error } of failed) {
        expect(error).toBeInstanceOf(DatabaseUnavailable);
        await commitAll(chat === undefined ? [] : [chat], faulty);
      }
      for (const chat of chats) await expectCommittedOnce(chat);
    },
  );
});

test('a process killed between a batch and its response neither loses nor repeats a step', async () => {
  const chats = await runningChats(4);
  const child = spawn(
    process.execPath,
    [
      '--conditions=chatd-source',
      join(import.meta.dirname, '../support/committing-process.ts'),
      store.url,
      JSON.stringify(Object.fromEntries(chats.map(({ id, fence }) => [id, fence]))),
      DEMO_MODEL,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  expect({ signal, output }).toEqual({ signal: 'SIGKILL', output: '' });
  for (const chat of chats) {
    await expectCommittedOnce(chat, 'once');
    // Its next owner continues after the step.
    const { history_version } = await store.read(chat.id);
    await store.runner.release(chat.id, chat.fence.runner_id);
    const [taken] = await store.runner.acquireNamed(store.worker, [chat.id], LEASE_MS);
    const fence = { runner_id: taken?.runner_id ?? 'none', history_version };
    await store.runner.commitStep(chat.id, fence, stepOf('next', { next: 'finish_turn' }));
    expect((await store.story(chat.id)).at(-1)).toBe('assistant: next');
  }
});

/** Batches over a database whose responses the test controls. */
function batches() {
  const sent: { readonly steps: number; answer(): void }[] = [];
  const query = (_: unknown, { steps }: { steps: string }) =>
    new Promise<never[]>((resolve) => {
      sent.push({ steps: (JSON.parse(steps) as []).length, answer: () => resolve([]) });
    });
  const group = new StepBatches({ query } as never);
  let step = 0;
  const commit = (text = '') => {
    step += 1;
    const record = toJson({ step });
    return group.commit({ step, chatId: String(step), record, messages: toJson([{ text, step }]) });
  };
  return { commit, sent };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('the limits of a batch', () => {
  test('64 steps, and no more than about a million characters', async () => {
    const { commit, sent } = batches();
    const steps = Array.from({ length: 164 }, () => commit());
    await nextTurn();
    steps.push(commit('x'.repeat(1_000_001)), commit());
    for (let answered = 0; answered < 4; answered += 1) {
      sent[answered]?.answer();
      await nextTurn();
    }
    await Promise.all(steps);
    expect(sent.map(({ steps }) => steps)).toEqual([64, 64, 37, 1]);
  });

  test('a statement without a response does not hold back later steps for long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { commit, sent } = batches();
      const stuck = commit();
      await nextTurn();
      const alsoStuck = commit();
      await nextTurn();
      const next = commit();
      await nextTurn();
      expect(sent).toHaveLength(2);
      vi.advanceTimersByTime(1_000);
      expect(sent).toHaveLength(3);
      sent[2]?.answer();
      expect(await next).toEqual([]);
      sent[0]?.answer();
      sent[1]?.answer();
      expect(await Promise.all([stuck, alsoStuck])).toEqual([[], []]);
    } finally {
      vi.useRealTimers();
    }
  });
});
