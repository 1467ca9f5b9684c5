import { expect, test } from 'vitest';
import { runHousekeeping } from '../../src/housekeeping.ts';
import { createLog } from '../../src/log.ts';
import { changeSettings } from '../../src/store/settings.ts';
import { execute, text } from '@chatd/test-server/database';
import { inState } from '../store/state-fixtures.ts';
import { startTestServer } from '@chatd/test-server';

const { owner, store } = await startTestServer();
const log = createLog({ level: 'silent', secrets: [], readable: false, write: () => undefined });

const upload = async (name = 'a.txt') =>
  await owner.ok('uploadFile', {
    query: { name },
    raw: 'text',
    headers: { 'content-type': 'text/plain' },
  });
const begin = async (...file_ids: string[]) => {
  const content = [
    { type: 'text' as const, text: 'Look.' },
    ...file_ids.map((file_id) => ({ type: 'file' as const, file_id })),
  ];
  return (await owner.ok('createChat', { body: { content, title: 'Test' } })).id;
};
const exists = async (file_id: string) =>
  (await owner.call('getFile', { params: { file_id } })).status === 200;
const chatsOf = async (id: string) =>
  (await owner.ok('listFiles')).files.find((file) => file.id === id)?.chat_ids;
/** Marks chats as deleted a day ago and purges them. */
const purge = async (...chats: string[]) => {
  for (const id of chats) {
    await execute(
      store.url,
      `UPDATE chats SET status = 'waiting', runner_id = NULL, worker_id = NULL, open_calls = '[]',
              deleted_at = now() - interval '25 hours' WHERE id = '${id}'`,
    );
  }
  await runHousekeeping(store, log);
};

test('a file is deleted with the last chat that uses it', async () => {
  const { id } = await upload();
  const [first, second] = [await begin(id), await begin(id)];
  expect(await chatsOf(id)).toEqual([first, second].toSorted());
  await purge(first);
  expect(await exists(id)).toBe(true);
  expect(await chatsOf(id)).toEqual([second]);
  await purge(second);
  expect(await exists(id)).toBe(false);
});

test('a file is deleted with a chat that retention deleted', async () => {
  const { id } = await upload();
  const chat = await begin(id);
  await execute(
    store.url,
    `UPDATE chats SET status = 'waiting', active_at = now() - interval '31 days' WHERE id = '${chat}'`,
  );
  await changeSettings(store.database, { retention_days: 30 });
  await runHousekeeping(store, log);
  await changeSettings(store.database, { retention_days: null });
  expect((await store.read(chat)).deleted_at).not.toBeNull();
  // The chat can be restored for a day.
  expect(await exists(id)).toBe(true);
  await purge(chat);
  expect(await exists(id)).toBe(false);
});

test('a file that no chat uses is deleted after a week', async () => {
  const [young, old] = [await upload(), await upload()];
  const age = `UPDATE files SET unused_since = unused_since - interval`;
  await execute(store.url, `${age} '6 days' WHERE id = '${young.id}'`);
  await execute(store.url, `${age} '8 days' WHERE id = '${old.id}'`);
  await runHousekeeping(store, log);
  expect(await exists(young.id)).toBe(true);
  expect(await exists(old.id)).toBe(false);
});

test('a used file is kept regardless of its age', async () => {
  const { id } = await upload();
  await begin(id);
  await execute(store.url, `UPDATE files SET created_at = now() - interval '9 years'`);
  await runHousekeeping(store, log);
  expect(await exists(id)).toBe(true);
});

test('files in the queue, in forks, and in tool results are in use', async () => {
  const [queued, forked, made] = [await upload(), await upload(), await upload()];
  const busy = await inState(store, 'running');
  const body = { content: [{ type: 'file' as const, file_id: queued.id }] };
  await owner.ok('sendMessage', { params: { chat_id: busy.chatId }, body });
  expect(await chatsOf(queued.id)).toEqual([busy.chatId]);

  const original = await begin(forked.id);
  const { messages } = await owner.ok('listMessages', { params: { chat_id: original } });
  const copy = await owner.ok('forkChat', {
    params: { chat_id: original },
    body: { message_id: messages[0]?.id ?? 0 },
  });
  await purge(original);
  expect(await chatsOf(forked.id)).toEqual([copy.id]);

  const result = {
    type: 'tool-result' as const,
    tool_call_id: 'c',
    tool_name: 'shot',
    result: '',
    file_ids: [made.id],
  };
  const chat = await begin();
  await execute(
    store.url,
    `INSERT INTO messages (chat_id, revision, role, content)
     VALUES ('${chat}', 1, 'tool', '${JSON.stringify([result])}')`,
  );
  expect(await chatsOf(made.id)).toEqual([chat]);
});

test('a file that a message references while another chat is purged is kept', async () => {
  const { id } = await upload();
  const chat = await begin(id);
  // Simulates a purge of another chat that missed the reference.
  await execute(store.url, `UPDATE files SET unused_since = '-infinity' WHERE id = '${id}'`);
  await runHousekeeping(store, log);
  expect(await exists(id)).toBe(true);
  expect(await chatsOf(id)).toEqual([chat]);
});

test('messages from before the migration are scanned before any file is purged', async () => {
  const [used, unused, replaced] = [await upload(), await upload(), await upload()];
  const chat = await begin(used.id);
  // The message with the file is edited before its chat is scanned.
  const edited = await begin(replaced.id);
  const [message] = await store.history(edited);
  await store.client.editMessage(edited, message!.id, store.message('Look again.'));
  await execute(
    store.url,
    `DELETE FROM chat_files;
     UPDATE files SET unused_since = NULL;
     INSERT INTO chat_files_backfill VALUES ('00000000-0000-0000-0000-000000000000');`,
  );
  await runHousekeeping(store, log);
  expect(await chatsOf(used.id)).toEqual([chat]);
  expect(await chatsOf(replaced.id)).toEqual([edited]);
  expect([await exists(used.id), await exists(unused.id)]).toEqual([true, true]);
  await execute(
    store.url,
    `UPDATE files SET unused_since = unused_since - interval '8 days' WHERE unused_since IS NOT NULL`,
  );
  await runHousekeeping(store, log);
  expect([await exists(used.id), await exists(unused.id)]).toEqual([true, false]);
});

test('content that only looks like file references is stored', async () => {
  // Without a file, the database does not look for references.
  await upload();
  const chat = await begin();
  const content = [{ ...text('x')[0], file_id: 'no uuid', file_ids: 7 }];
  await execute(
    store.url,
    `INSERT INTO messages (chat_id, revision, role, content)
     VALUES ('${chat}', 1, 'user', '${JSON.stringify(content)}')`,
  );
  expect((await store.history(chat)).at(-1)?.content).toEqual(content);
});
