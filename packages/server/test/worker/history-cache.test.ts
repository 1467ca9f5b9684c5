import { expect, test } from 'vitest';
import type { LocalChange } from '../../src/store/change.ts';
import type { Queryable } from '../../src/store/statement.ts';
import { HistoryCache } from '../../src/worker/history-cache.ts';
import { NEW_CHAT, says, TestStore, text } from '@chatd/test-server/database';

const store = await TestStore.open();

const NO_DATABASE: Queryable = {
  query: () => Promise.reject(new Error('nothing was to be read')),
};

/** A cache that is notified of messages that are committed in its process. */
function listening(): HistoryCache {
  const cache = new HistoryCache();
  store.listeners.add(({ id, entered }: LocalChange) => {
    if (entered !== undefined) cache.append(id, entered);
  });
  return cache;
}

const created = async () => {
  const { chat } = await store.creation.createRequested(
    { ...NEW_CHAT, id: crypto.randomUUID(), owner_id: store.owner },
    undefined,
  );
  return chat;
};

/** Commits and caches an answer, as a runner of this process does. */
async function answered(id: string, cache: HistoryCache): Promise<void> {
  const fence = await store.take(id);
  const known = await cache.read(store.database, await store.read(id));
  const next = 'finish_turn' as const;
  const step = { messages: [says('answer')], attempt: 0, next };
  const { history_version, messages } = await store.runner.commitStep(id, fence, step);
  const said = { role: 'assistant' as const, content: text('answer') as never };
  cache.keep(id, {
    version: history_version,
    lastId: messages.at(-1)!.id,
    messages: [...known.messages, said],
  });
}

test('the history of a chat that was created in this process is complete without a read', async () => {
  const cache = listening();
  const { id } = await created();
  const chat = await store.read(id);
  const known = await cache.read(NO_DATABASE, chat);
  expect(known).toEqual(await new HistoryCache().read(store.database, chat));
  expect(known.messages).toHaveLength(1);
});

test('a message to a cached chat updates its history', async () => {
  const cache = listening();
  const { id } = await created();
  await answered(id, cache);
  await store.client.send(id, store.message('second'));
  const chat = await store.read(id);
  const known = await cache.read(store.database, chat);
  expect(known.version).toBe(chat.history_version);
  expect(known.messages.map(({ content }) => content)).toEqual(
    (await store.history(id)).map(({ content }) => content),
  );
});

test('messages that another process added in between are read', async () => {
  const cache = new HistoryCache();
  const { id } = await created();
  const chat = await store.read(id);
  cache.keep(id, await cache.read(store.database, chat));
  // This process is notified only of the last of these changes.
  await answered(id, new HistoryCache());
  const { messages } = await store.client.send(id, store.message('second'));
  const later = await store.read(id);
  const to = later.history_version;
  cache.append(id, { from: to - 1, to, messages });
  await expect(cache.read(NO_DATABASE, later)).rejects.toThrow('nothing was to be read');
  expect((await cache.read(store.database, later)).messages).toHaveLength(3);
});

test('after an edit, the whole history is read again', async () => {
  const cache = listening();
  const { id } = await created();
  await answered(id, cache);
  const [first] = await store.history(id);
  await store.client.editMessage(id, first!.id, {
    content: text('edited'),
    created_by: store.owner,
    model_config_id: null,
    reasoning_effort: null,
  });
  const chat = await store.read(id);
  await expect(cache.read(NO_DATABASE, chat)).rejects.toThrow('nothing was to be read');
  const { messages } = await cache.read(store.database, chat);
  expect(messages.map(({ content }) => content)).toEqual([text('edited')]);
});

test('the cache keeps the newest histories, up to a size', async () => {
  const cache = new HistoryCache(10_000);
  const chats = await Promise.all([created(), created(), created()]);
  for (const { id } of chats) {
    const chat = await store.read(id);
    const known = await cache.read(store.database, chat);
    const long = { role: 'user' as const, content: text('x'.repeat(4000)) as never };
    cache.keep(id, { ...known, messages: [...known.messages, long] });
  }
  const isKept = async ({ id }: { id: string }) => {
    const chat = await store.read(id);
    return await cache.read(NO_DATABASE, chat).then(
      () => true,
      () => false,
    );
  };
  expect(await Promise.all(chats.map(isKept))).toEqual([false, false, true]);
});
