import { setTimeout as sleep } from 'node:timers/promises';
import { BusyBehavior } from '@chatd/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { Refused } from '../../src/chat/refused.ts';
import type { ChatRow } from '../../src/chat/row.ts';
import { statement } from '../../src/store/statement.ts';
import { LEASE_MS, says } from '@chatd/test-server/database';
import { startTestServer } from '@chatd/test-server';

const CLIENTS = 16;
const MESSAGES = 8;
/** How long a client waits when the queue is full. */
const PATIENCE_MS = 100;

const { owner, store } = await startTestServer();

/** Answers all chats until the test ends. */
function startRunner(): void {
  const stop = new AbortController();
  const run = async () => {
    while (!stop.signal.aborted) {
      const chats = await store.runner.acquire(store.worker, 100, LEASE_MS);
      await store.runner.heartbeat(store.worker);
      await Promise.all(chats.map(answer));
    }
  };
  const running = run();
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
}

/** If a client's change makes this answer obsolete, the next runner continues. */
async function answer({ id, runner_id, history_version, status }: ChatRow): Promise<void> {
  if (runner_id === null) throw new Error('acquired without a runner');
  const fence = { runner_id, history_version };
  const step = { attempt: 0, messages: [says('answer')] };
  try {
    if (status === 'interrupting') {
      await store.runner.finishInterruption(id, fence, step);
    } else {
      const { history_version } = await store.runner.commitStep(id, fence, step);
      await store.runner.finishTurn(id, { runner_id, history_version });
    }
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
  await store.runner.release(id, runner_id);
}

/** Sends until acknowledged. The only allowed refusal is a full queue. */
async function send(chatId: string, text: string, index: number): Promise<void> {
  const busy_behavior = BusyBehavior.options[index % 3];
  for (;;) {
    const reply = await owner.call('sendMessage', {
      params: { chat_id: chatId },
      body: { content: text, busy_behavior },
    });
    if (reply.status < 300) return;
    expect(JSON.parse(reply.text)).toMatchObject({ code: 'queue_full' });
    await sleep(PATIENCE_MS);
  }
}

/** One statement, because a message can move from the queue to the history at any time. */
const readTexts = statement<{ chat_id: string }, { text: string }>(
  'test-read-texts',
  `SELECT content -> 0 ->> 'text' AS text FROM messages WHERE chat_id = :chat_id AND role = 'user'
    UNION ALL
   SELECT content -> 0 ->> 'text' FROM queued_messages WHERE chat_id = :chat_id`,
);

async function stored(chatId: string): Promise<string[]> {
  return (await store.database.query(readTexts, { chat_id: chatId })).map(({ text }) => text);
}

async function hammer(chatOf: (client: number) => string): Promise<Map<string, string[]>> {
  const acknowledged = new Map<string, string[]>();
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      const chatId = chatOf(client);
      for (let index = 0; index < MESSAGES; index += 1) {
        const text = `client ${client}, message ${index}`;
        await send(chatId, text, client + index);
        acknowledged.set(chatId, [...(acknowledged.get(chatId) ?? []), text]);
      }
    }),
  );
  return acknowledged;
}

test('16 clients on one chat lose and duplicate no message', async () => {
  startRunner();
  const { id } = await owner.ok('createChat', { body: { content: 'first' } });
  const acknowledged = await hammer(() => id);
  expect(acknowledged.get(id)).toHaveLength(CLIENTS * MESSAGES);
  expect((await stored(id)).toSorted()).toEqual(
    ['first', ...(acknowledged.get(id) ?? [])].toSorted(),
  );
}, 120_000);

test('16 clients on 16 chats lose, duplicate, and mix up no message', async () => {
  startRunner();
  const ids: string[] = [];
  for (let client = 0; client < CLIENTS; client += 1) {
    ids.push((await owner.ok('createChat', { body: { content: 'first' } })).id);
  }
  const acknowledged = await hammer((client) => ids[client] ?? '');
  for (const id of ids) {
    const texts = acknowledged.get(id) ?? [];
    expect(texts).toHaveLength(MESSAGES);
    expect((await stored(id)).toSorted()).toEqual(['first', ...texts].toSorted());
  }
}, 120_000);

test('16 clients that change one chat concurrently leave it consistent', async () => {
  startRunner();
  const { id } = await owner.ok('createChat', { body: { content: 'first' } });
  const params = { chat_id: id };
  const acknowledged: string[] = [];
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      for (let index = 0; index < MESSAGES; index += 1) {
        const text = `client ${client}, message ${index}`;
        const sent = await owner.call('sendMessage', { params, body: { content: text } });
        if (sent.status < 300) acknowledged.push(text);
        // Depending on the order, any of these may be refused, but none may fail.
        await owner.call('interruptChat', { params });
        await owner.call('updateChat', { params, body: { title: text, pin_order: index } });
        await owner.call('compactChat', { params });
        await owner.call('updateChat', { params, body: { archived: false } });
        await owner.call('listMessages', { params });
      }
    }),
  );
  expect((await stored(id)).toSorted()).toEqual(['first', ...acknowledged].toSorted());
}, 120_000);
