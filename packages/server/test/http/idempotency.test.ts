import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { dump, execute } from '@chatd/test-server/database';
import { inState } from '../store/state-fixtures.ts';
import { startTestServer } from '@chatd/test-server';

const { admin, databaseUrl, owner, store, stranger } = await startTestServer();

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

test('a repeated request with the same key and body returns the first response and runs once', async () => {
  const input = { body: { content: 'once' }, ...keyed(randomUUID()) };
  const first = await owner.call('createChat', input);
  expect(first.headers.get('idempotency-replayed')).toBeNull();
  const before = await dump(databaseUrl);
  const second = await owner.call('createChat', input);
  expect(second.status).toBe(201);
  expect(second.text).toBe(first.text);
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect(await dump(databaseUrl)).toBe(before);
});

test('a key is refused with another body or for another route', async () => {
  const key = keyed(randomUUID());
  const { id } = await owner.ok('createChat', { body: { content: 'first' }, ...key });
  const before = await dump(databaseUrl);
  expect(await owner.refusal('createChat', { body: { content: 'second' }, ...key })).toBe(
    '422 idempotency_key_reused',
  );
  expect(
    await owner.refusal('sendMessage', {
      params: { chat_id: id },
      body: { content: 'first' },
      ...key,
    }),
  ).toBe('422 idempotency_key_reused');
  expect(await dump(databaseUrl)).toBe(before);
});

test('keys of different users are independent', async () => {
  const input = { body: { content: 'mine' }, ...keyed(randomUUID()) };
  const mine = await owner.ok('createChat', input);
  const theirs = await stranger.ok('createChat', input);
  expect(theirs.id).not.toBe(mine.id);
});

test('concurrent requests with the same key run once', async () => {
  const { chatId } = await inState(store, 'running');
  const input = {
    params: { chat_id: chatId },
    body: { content: 'only one' },
    ...keyed(randomUUID()),
  };
  const replies = await Promise.all(
    Array.from({ length: 16 }, () => owner.call('sendMessage', input)),
  );
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 202));
  const replayed = replies.filter(({ headers }) => headers.has('idempotency-replayed'));
  expect(replayed).toHaveLength(15);
  expect(await store.queue(chatId)).toHaveLength(1);
});

test('a refusal is not stored: the key works again when the reason is gone', async () => {
  const { chatId } = await inState(store, 'waiting');
  const input = { params: { chat_id: chatId }, ...keyed(randomUUID()) };
  const before = await dump(databaseUrl);
  expect(await owner.refusal('interruptChat', input)).toBe('409 not_running');
  expect(await dump(databaseUrl)).toBe(before);
  await owner.ok('sendMessage', { params: { chat_id: chatId }, body: { content: 'go' } });
  expect(await owner.ok('interruptChat', input)).toMatchObject({ status: 'interrupting' });
});

test('a response without a body is stored too', async () => {
  const { chatId, queuedId } = await inState(store, 'running+queue');
  const input = {
    params: { chat_id: chatId, queued_message_id: queuedId },
    ...keyed(randomUUID()),
  };
  expect((await owner.call('promoteQueuedMessage', input)).status).toBe(202);
  const again = await owner.call('promoteQueuedMessage', input);
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true']);
});

test('a repeated edit whose response was lost runs once', async () => {
  const { chatId, firstMessageId } = await inState(store, 'waiting');
  const params = { chat_id: chatId, message_id: firstMessageId };
  const input = { params, body: { content: 'edited' }, ...keyed(randomUUID()) };
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => owner.call('editMessage', input)),
  );
  expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(replies.filter(({ headers }) => headers.has('idempotency-replayed'))).toHaveLength(7);
  const before = await dump(databaseUrl);
  const late = await owner.call('editMessage', input);
  expect([late.text, late.headers.get('idempotency-replayed')]).toEqual([replies[0]?.text, 'true']);
  expect(await owner.refusal('editMessage', { ...input, body: { content: 'other' } })).toBe(
    '422 idempotency_key_reused',
  );
  expect(await dump(databaseUrl)).toBe(before);
  // Without the key, it is another edit of the same message.
  await owner.ok('editMessage', { params, body: { content: 'edited' } });
  expect(await dump(databaseUrl)).not.toBe(before);
});

test('a repeated change of a message that left the queue returns the first response', async () => {
  const { chatId, queuedId } = await inState(store, 'running+queue');
  const params = { chat_id: chatId, queued_message_id: queuedId };
  const input = { params, body: { content: 'changed' }, ...keyed(randomUUID()) };
  const first = await owner.ok('updateQueuedMessage', input);
  await owner.ok('deleteQueuedMessage', { params });
  expect(await owner.refusal('updateQueuedMessage', { params, body: input.body })).toBe(
    '404 not_found',
  );
  expect(await owner.ok('updateQueuedMessage', input)).toEqual(first);
});

test('a repeated change of settings with a key returns the first response and does not run again', async () => {
  const body = { system_prompt: randomUUID() };
  const input = { body, ...keyed(randomUUID()) };
  const changed = await admin.ok('updateSettings', input);
  expect(changed).toMatchObject(body);
  await admin.ok('updateSettings', { body: { system_prompt: '' } });
  expect(await admin.ok('updateSettings', input)).toEqual(changed);
  expect(await admin.ok('getSettings')).toMatchObject({ system_prompt: '' });
});

test('uploads can be repeated with a key', async () => {
  const input = {
    query: { name: 'a.bin' },
    raw: Buffer.from([0, 1, 2]),
    headers: { 'content-type': 'application/octet-stream', 'idempotency-key': randomUUID() },
  };
  const first = await owner.ok('uploadFile', input);
  expect(await owner.ok('uploadFile', input)).toEqual(first);
  expect(await owner.refusal('uploadFile', { ...input, raw: Buffer.from([0, 1]) })).toBe(
    '422 idempotency_key_reused',
  );
});

test('a key expires after a day', async () => {
  const key = randomUUID();
  const first = await owner.ok('createChat', { body: { content: 'old' }, ...keyed(key) });
  await execute(
    databaseUrl,
    `UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE key = '${key}'`,
  );
  const second = await owner.ok('createChat', { body: { content: 'new' }, ...keyed(key) });
  expect(second.id).not.toBe(first.id);
  expect(await owner.ok('createChat', { body: { content: 'new' }, ...keyed(key) })).toEqual(second);
});

test('responses with secrets are not stored, so repeated requests run again', async () => {
  const input = { body: { name: 'x' }, ...keyed(randomUUID()) };
  const first = await owner.ok('createToken', input);
  const second = await owner.ok('createToken', input);
  expect(second.token).not.toBe(first.token);
  expect(await dump(databaseUrl)).not.toContain(first.token);

  const user = await admin.ok('createUser', { body: { username: `u-${randomUUID()}` } });
  const change = { params: { user_id: user.id }, ...keyed(randomUUID()) };
  await admin.ok('updateUser', { ...change, body: { password: 'the first of two' } });
  await admin.ok('updateUser', { ...change, body: { password: 'the second of two' } });
});
