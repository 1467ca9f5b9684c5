import { expect, test } from 'vitest';
import { after } from '../../src/chat/after.ts';
import type { Fence } from '../../src/chat/fence.ts';
import type { ChatRow, LockedChat } from '../../src/chat/row.ts';
import { beginAttempt } from '../../src/chat/transitions/begin-attempt.ts';
import { commitStep, type Step } from '../../src/chat/transitions/commit-step.ts';
import { finishTurn } from '../../src/chat/transitions/finish-turn.ts';
import { send } from '../../src/chat/transitions/send.ts';
import type { Writes } from '../../src/chat/writes.ts';
import { calls, DEMO_MODEL, LEASE_MS, results, says, TestStore } from '@chatd/test-server/database';

/*
 * The runner's hot statements write in SQL what the transitions plan in TypeScript. Here each statement runs on a real
 * row, and the row it leaves is compared with the row that the transitions lead to.
 */

const store = await TestStore.open();

const RETRY = {
  attempt: 1,
  delay_ms: 1,
  retrying_at: new Date(0).toISOString(),
  kind: 'timeout',
  retryable: true,
  provider: 'demo',
  error: 'again',
} as const;

interface Situation {
  readonly name: string;
  /** Brings the chat into the situation. The chat has no runner before and after. */
  readonly arrange: (id: string) => Promise<unknown>;
  readonly step?: Partial<Step>;
}

/** Runs the chat for one write and releases it. */
async function running(id: string, work: (fence: Fence) => Promise<unknown>): Promise<void> {
  const fence = await store.take(id);
  await work(fence);
  await store.runner.release(id, fence.runner_id);
}

async function requestCompaction(id: string): Promise<void> {
  const fence = await store.take(id);
  const step = { messages: [says('hello')], attempt: 0, next: 'finish_turn' } as const;
  await store.runner.commitStep(id, fence, step);
  await store.client.requestCompaction(id);
}

const SITUATIONS: readonly Situation[] = [
  { name: 'a new chat', arrange: () => Promise.resolve() },
  {
    name: 'an attempt that will be retried',
    arrange: (id) => running(id, (fence) => store.runner.recordRetry(id, fence, RETRY)),
  },
  {
    name: 'a chat that waited for capacity',
    arrange: (id) => store.runner.waitForCapacity(id),
  },
  {
    name: 'a chat that waited for capacity with an open call',
    arrange: async (id) => {
      await running(id, (fence) =>
        store.runner.commitStep(id, fence, { messages: [calls('a')], attempt: 0 }),
      );
      await store.runner.waitForCapacity(id);
    },
    step: { messages: [results('a')] },
  },
  {
    name: 'the summary that a client requested',
    arrange: requestCompaction,
    step: { compacted: true },
  },
];

/** The row of a chat without the times that the database sets. */
const stateOf = (chat: ChatRow) => ({ ...chat, updated_at: null, active_at: null });

const read = async (id: string): Promise<LockedChat> => ({ ...(await store.read(id)), queue: [] });

function afterWrites(chat: LockedChat, writes: Writes): LockedChat {
  const next = after(chat, writes);
  if (next === null) throw new Error('The transition changed nothing.');
  return { ...next, queue: [] };
}

const fenceOf = ({ runner_id, history_version }: ChatRow): Fence => ({
  runner_id: runner_id ?? 'none',
  history_version,
});

async function arranged({ arrange, step }: Situation) {
  const { id } = await store.create();
  await arrange(id);
  await store.take(id);
  const chat = await read(id);
  const whole: Step = { messages: [says('done')], attempt: chat.attempt, ...step };
  return { id, chat, step: whole };
}

const FOLLOWING = {
  begin_attempt: (chat: LockedChat) => beginAttempt(chat, fenceOf(chat), 1),
  finish_turn: (chat: LockedChat) => finishTurn(chat, fenceOf(chat)),
} as const;

for (const situation of SITUATIONS) {
  test.each(['begin_attempt', 'finish_turn'] as const)(
    `${situation.name}: a step with %s writes what both transitions plan, in one version`,
    async (next) => {
      const { id, chat, step } = await arranged(situation);
      const committed = afterWrites(chat, commitStep(chat, fenceOf(chat), step));
      const planned = afterWrites(committed, FOLLOWING[next](committed));
      await store.runner.commitStep(id, fenceOf(chat), { ...step, next });
      const { snapshot_version } = committed;
      expect(stateOf(await read(id))).toEqual(stateOf({ ...planned, snapshot_version }));
    },
  );

  test(`${situation.name}: a step writes what its transition plans`, async () => {
    const { id, chat, step } = await arranged(situation);
    await store.runner.commitStep(id, fenceOf(chat), step);
    const planned = afterWrites(chat, commitStep(chat, fenceOf(chat), step));
    expect(stateOf(await read(id))).toEqual(stateOf(planned));
  });

  test(`${situation.name}: beginning an attempt writes what its transition plans`, async () => {
    const { id, chat } = await arranged(situation);
    await store.runner.beginAttempt(id, fenceOf(chat), chat.attempt + 1);
    const planned = afterWrites(chat, beginAttempt(chat, fenceOf(chat), chat.attempt + 1));
    expect(stateOf(await read(id))).toEqual(stateOf(planned));
  });
}

test.each(SITUATIONS.filter(({ step }) => step?.messages === undefined))(
  '$name: ending a turn writes what its transition plans',
  async (situation) => {
    const { id, chat } = await arranged(situation);
    await store.runner.finishTurn(id, fenceOf(chat));
    const planned = afterWrites(chat, finishTurn(chat, fenceOf(chat)));
    expect(stateOf(await read(id))).toEqual(stateOf(planned));
  },
);

test('an acquisition that begins the first attempt writes what the transition plans', async () => {
  const { id } = await store.create();
  await store.runner.waitForCapacity(id);
  const before = await read(id);
  await store.runner.heartbeat(store.worker);
  await store.runner.takeUp(store.worker, [id], LEASE_MS);
  const taken = await read(id);
  const { runner_id, worker_id } = taken;
  const chat = { ...before, runner_id, worker_id };
  const planned = afterWrites(chat, beginAttempt(chat, fenceOf(chat), 1));
  expect(stateOf(taken)).toEqual(stateOf(planned));
});

test.each(['begin_attempt', 'finish_turn'] as const)(
  'with a summary requested, a step leaves %s to the runner, and the request remains',
  async (next) => {
    const { id } = await store.create();
    await requestCompaction(id);
    const fence = await store.take(id);
    const { attempt } = await store.read(id);
    const step = { messages: [says('not the summary')], attempt, next };
    expect(await store.runner.commitStep(id, fence, step)).toMatchObject({
      status: 'running',
      attempt: 0,
    });
    expect(await store.read(id)).toMatchObject({
      status: 'running',
      runner_id: fence.runner_id,
      attempt: 0,
      compaction_requested: true,
    });
  },
);

test.each(['begin_attempt', 'finish_turn'] as const)(
  'with a call left open, a step leaves %s to the runner',
  async (next) => {
    const { id } = await store.create();
    const fence = await store.take(id);
    const opened = { messages: [calls('a', 'b')], attempt: 0, next };
    const first = await store.runner.commitStep(id, fence, opened);
    expect(first).toMatchObject({ status: 'running', attempt: 0 });
    const { history_version } = first;
    const answered = { messages: [results('a')], attempt: 0, next };
    expect(
      await store.runner.commitStep(id, { ...fence, history_version }, answered),
    ).toMatchObject({ status: 'running', attempt: 0 });
    expect(await store.read(id)).toMatchObject({ open_calls: [{ tool_call_id: 'b' }] });
  },
);

const FAILED = { kind: 'generic', message: 'No.', retryable: false } as const;

test.each([
  {
    name: 'a waiting chat',
    arrange: (id: string) => running(id, (fence) => store.runner.finishTurn(id, fence)),
  },
  {
    name: 'a failed chat',
    arrange: (id: string) => running(id, (fence) => store.runner.fail(id, fence, FAILED)),
  },
  {
    name: 'an interrupted chat',
    async arrange(id: string) {
      await store.take(id);
      await store.client.interrupt(id);
      const { runner_id, history_version } = await store.read(id);
      const fence = { runner_id: runner_id ?? 'none', history_version };
      await store.runner.finishInterruption(id, fence, { messages: [], attempt: 0 });
    },
  },
])('a message to $name writes what its transition plans', async ({ arrange }) => {
  const { id } = await store.create();
  await arrange(id);
  const message = {
    ...store.message('next', 'steer'),
    model_config_id: DEMO_MODEL,
    reasoning_effort: 'high',
  } as const;
  for (const sent of [store.message('next'), message]) {
    const chat = await read(id);
    const planned = afterWrites(chat, send(chat, sent, new Date(0)));
    const { messages, ...written } = await store.client.send(id, sent);
    expect(stateOf(await read(id))).toEqual(stateOf(planned));
    expect(written.chat).toEqual(await store.read(id));
    expect(messages).toEqual((await store.history(id)).slice(-1));
    expect(messages).toMatchObject([{ role: 'user', model_config_id: DEMO_MODEL }]);
    expect(store.changes.at(-1)).toMatchObject({
      entered: { from: chat.history_version, to: planned.history_version, messages },
    });
    await running(id, (fence) => store.runner.finishTurn(id, fence));
  }
});
