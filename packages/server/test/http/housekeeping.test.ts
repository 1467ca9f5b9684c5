import { expect, test } from 'vitest';
import { runHousekeeping } from '../../src/housekeeping.ts';
import { createLog } from '../../src/log.ts';
import { changeSettings } from '../../src/store/settings.ts';
import { dump, execute, TestStore } from '@chatd/test-server/database';
import { inState } from '../store/state-fixtures.ts';

const store = await TestStore.open();
const logged: string[] = [];
const log = createLog({
  level: 'info',
  secrets: [],
  readable: false,
  write: (line) => logged.push(line),
});
const hex = (text: string) => Buffer.from(text).toString('hex');
const age = (table: string, column: string, by: string, where = 'true') =>
  execute(store.url, `UPDATE ${table} SET ${column} = now() - interval '${by}' WHERE ${where}`);

test('a deleted chat is kept for a day, then purged with its messages', async () => {
  const young = await inState(store, 'deleted');
  const old = await inState(store, 'deleted');
  await age('chats', 'deleted_at', '23 hours', `id = '${young.chatId}'`);
  await age('chats', 'deleted_at', '25 hours', `id = '${old.chatId}'`);
  await runHousekeeping(store, log);
  expect((await store.read(young.chatId)).id).toBe(young.chatId);
  expect(await dump(store.url)).not.toContain(old.chatId);
});

const event = (target: string, subject: string, title: string) =>
  `('webhook', '${target}', '${subject}', 'chat.waiting', '{"title": "${title}"}', 'dead', now(), now())`;

test('events of purged chats, their subagents, and deleted webhooks are purged too', async () => {
  const { chatId } = await inState(store, 'deleted');
  const child = await store.create({ parent: await store.read(chatId) });
  const webhook = crypto.randomUUID();
  await execute(
    store.url,
    `INSERT INTO webhooks (id, owner_id, url, events, secrets)
     VALUES ('${webhook}', '${store.owner}', 'http://receiver.test/', '{}', '');
     INSERT INTO outbox (kind, target_id, subject_id, event, payload, state, expires_at, finished_at)
     VALUES ${event(webhook, chatId, 'title of the chat')}, ${event(webhook, child.id, 'title of the subagent')},
            ${event(webhook, crypto.randomUUID(), 'title of another chat')},
            ${event(crypto.randomUUID(), crypto.randomUUID(), 'title without a webhook')}`,
  );
  await age('chats', 'deleted_at', '25 hours', `id = '${chatId}'`);
  await runHousekeeping(store, log);
  const left = await dump(store.url);
  expect(left).toContain('title of another chat');
  for (const gone of ['title of the chat', 'title of the subagent', 'title without a webhook']) {
    expect(left).not.toContain(gone);
  }
});

test('more than one batch is purged in one round', async () => {
  await execute(
    store.url,
    `INSERT INTO idempotency_keys (user_id, key, request_hash, created_at)
     SELECT '${store.owner}', 'old ' || n, '', now() - interval '25 hours' FROM generate_series(1, 250) n;
     INSERT INTO idempotency_keys (user_id, key, request_hash) VALUES ('${store.owner}', 'young', '')`,
  );
  await runHousekeeping(store, log);
  const left = await dump(store.url);
  expect(left).toContain('young');
  expect(left).not.toContain('old ');
});

test('expired sessions and links are deleted', async () => {
  await execute(
    store.url,
    `INSERT INTO sessions (secret_hash, user_id, expires_at)
     VALUES ('session-old', '${store.owner}', now() - interval '1 s'), ('session-new', '${store.owner}', now() + interval '1 h');
     INSERT INTO sign_in_links (secret_hash, user_id, expires_at)
     VALUES ('link-old', '${store.owner}', now() - interval '1 s'), ('link-new', '${store.owner}', now() + interval '1 h')`,
  );
  await runHousekeeping(store, log);
  const left = await dump(store.url);
  for (const kept of ['session-new', 'link-new']) expect(left).toContain(hex(kept));
  for (const gone of ['session-old', 'link-old']) expect(left).not.toContain(hex(gone));
});

test('a worker that looks dead right after a restart of PostgreSQL is not deleted', async () => {
  await store.runner.heartbeat(store.worker);
  await age('workers', 'heartbeat_at', '3 days');
  await runHousekeeping(store, log);
  expect(await dump(store.url)).toContain(store.worker);
});

test('chats idle for longer than the retention are deleted, but not busy ones', async () => {
  const idle = await inState(store, 'waiting');
  const recent = await inState(store, 'waiting');
  const busy = await inState(store, 'running');
  const archived = await inState(store, 'archived');
  for (const { chatId } of [idle, busy, archived]) {
    await age('chats', 'active_at', '31 days', `id = '${chatId}'`);
  }
  await runHousekeeping(store, log);
  expect((await store.read(idle.chatId)).deleted_at).toBeNull();
  await changeSettings(store.database, { retention_days: 30 });
  await runHousekeeping(store, log);
  const deleted = async ({ chatId }: { chatId: string }) =>
    (await store.read(chatId)).deleted_at !== null;
  expect(await Promise.all([idle, archived, recent, busy].map(deleted))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('a failed task is logged, and the other tasks still run', async () => {
  await execute(store.url, 'ALTER TABLE sessions RENAME TO hidden_sessions');
  await execute(
    store.url,
    `INSERT INTO idempotency_keys (user_id, key, request_hash, created_at)
     VALUES ('${store.owner}', 'leftover', '', now() - interval '25 hours')`,
  );
  logged.length = 0;
  await runHousekeeping(store, log);
  expect(logged.join('')).toContain('housekeeping failed');
  expect(await dump(store.url)).not.toContain('leftover');
});
