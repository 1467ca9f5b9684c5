import type { CompactionSource, HistoryMessage } from '@chatd/loop';
import { expect, test } from 'vitest';
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
  await store.take(id);
  const chat = await store.read(id);
  const history = new DurableHistory({
    store,
    sink: { begin: () => undefined, push: () => undefined, end: () => undefined },
    chat,
    known: await new HistoryCache().read(store.database, chat),
    takenOver: false,
    dynamicTimeoutMs: () => Promise.resolve(null),
    configOf: () => DEMO_MODEL,
    signal: new AbortController().signal,
  });
  return { id, history };
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
