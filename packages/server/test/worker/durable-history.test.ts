import type { CompactionSource, HistoryMessage } from '@chatd/loop';
import type { Retry } from '@chatd/protocol';
import { expect, test, vi } from 'vitest';
import { DatabaseUnavailable } from '../../src/store/unavailable.ts';
import { DurableHistory } from '../../src/worker/durable-history.ts';
import { HistoryCache } from '../../src/worker/history-cache.ts';
import { DEMO_MODEL, says, TestStore } from '@chatd/test-server/database';

const store = await TestStore.open();

/** A chat for which a client requested a compaction, and its history as its runner holds it. */
async function compactionRequested(): Promise<{ id: string; history: DurableHistory }> {
  const { id } = await store.create();
  const fence = await store.take(id);
  const step = { messages: [says('hello')], attempt: 0, next: 'finish_turn' } as const;
  await store.runner.commitStep(id, fence, step);
  await store.client.requestCompaction(id);
  return { id, history: await historyOf(id) };
}

/** The history of a chat as a runner holds it that has just acquired it. */
async function historyOf(id: string, onInterrupted = () => {}): Promise<DurableHistory> {
  await store.take(id);
  const chat = await store.read(id);
  return new DurableHistory({
    store,
    sink: { begin: () => undefined, push: () => undefined, end: () => undefined },
    chat,
    known: await new HistoryCache().read(store.database, chat),
    takenOver: false,
    dynamicTimeoutMs: () => Promise.resolve(null),
    configOf: () => DEMO_MODEL,
    onInterrupted,
    signal: new AbortController().signal,
  });
}

const summary = (source: CompactionSource): HistoryMessage[] => [
  {
    role: 'user',
    hidden: true,
    content: [{ type: 'text', text: 'So far' }],
    meta: {
      compaction: { source },
      summary: { source, after_finish: true, steps: 1, reentries: 0 },
    },
  },
];

test.each([
  ['manual', false],
  ['automatic', true],
  ['overflow', true],
] as const)(
  'after the commit of the summary "%s", the loop and a successor both see compaction_requested = %s',
  async (source, requested) => {
    const { id, history } = await compactionRequested();
    await history.commit(summary(source));
    const { chat } = await history.read();
    expect(chat.compaction_requested).toBe(requested);
    expect((await store.read(id)).compaction_requested).toBe(requested);
  },
);

const RETRY: Retry = {
  attempt: 1,
  delay_ms: 0,
  retrying_at: new Date().toISOString(),
  kind: 'overloaded',
  retryable: true,
  provider: 'Anthropic',
  error: 'Overloaded',
};

test.each([
  ['commitStep', (history: DurableHistory) => history.commit([{ role: 'assistant', content: [] }])],
  ['beginAttempt', (history: DurableHistory) => history.beginAttempt()],
  ['recordRetry', (history: DurableHistory) => history.recordRetry(RETRY)],
] as const)(
  'a turn that is interrupted after a %s whose response was lost can be ended',
  async (name, perform) => {
    const { id } = await store.create();
    const onInterrupted = vi.fn<() => void>();
    const history = await historyOf(id, onInterrupted);
    const performed = store.runner[name].bind(store.runner) as (
      ...args: unknown[]
    ) => Promise<never>;
    const lost = vi.spyOn(store.runner, name).mockImplementationOnce(async (...args: unknown[]) => {
      await performed(...args);
      await store.client.interrupt(id);
      throw new DatabaseUnavailable('The response was lost');
    });
    await perform(history);
    expect(lost).toHaveBeenCalledTimes(2);
    expect(onInterrupted).toHaveBeenCalledOnce();
    await history.finishInterruption([]);
    expect(await store.read(id)).toMatchObject({ status: 'waiting', interrupted: true });
  },
);
