import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { type ApiClient, spawnServer, startServerOn } from '@chatd/test-server';
import { createTestDatabase } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { expect, onTestFinished, test } from 'vitest';
import { eventStream } from '../stream/clients.ts';

test('after kill -9 of the replica that runs a chat, messages that an editor queues on another replica exist once', async () => {
  const { url: databaseUrl } = await createTestDatabase();
  const dataDir = await makeTemporaryDirectory();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const victim = await spawnServer(dataDir, {
    args: ['--lease-seconds', '3'],
    env: { CHATD_DATABASE_URL: databaseUrl },
  });
  onTestFinished(() => void victim.child.kill('SIGKILL'));
  const survivor = await startServerOn(databaseUrl, { concurrency: 4, leaseMs: 3000 });
  const { admin } = survivor;
  const user = await admin.ok('createUser', { body: { username: 'editor' } });
  const { token } = await admin.ok('createToken', { body: { name: 'x', user_id: user.id } });
  const editor: ApiClient = survivor.as(token);

  // The owner's request claims the chat for the replica that gets it.
  const turn = await eventStream(victim.client, '/chats', {
    body: { content: 'be slow for 5 seconds', title: 'Test' },
  });
  await turn.received.until(({ events }) => events.some(({ type }) => type === 'message_part'));
  const id = String(turn.received.events[0]?.['chat_id']);
  const params = { chat_id: id };
  const grants = [{ user_id: user.id, role: 'editor' }];
  await admin.ok('replaceChatSharing', { params, body: { grants } });

  const texts = ['one', 'two', 'three'];
  for (const [index, content] of texts.entries()) {
    if (index === 1) victim.child.kill('SIGKILL');
    const input = { params, body: { content }, headers: { 'idempotency-key': randomUUID() } };
    await editor.ok('sendMessage', input);
    const again = await editor.call('sendMessage', input);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  }
  await eventually(async () => {
    expect((await editor.ok('getChat', { params })).status).toBe('waiting');
  });
  const { messages, queued_messages } = await editor.ok('listMessages', { params });
  expect(queued_messages).toEqual([]);
  const sent = messages.filter(({ created_by }) => created_by === user.id);
  expect(sent.map(({ content }) => content[0])).toEqual(
    texts.map((text) => ({ type: 'text', text })),
  );
  expect(messages.filter(({ role }) => role === 'assistant')).toHaveLength(texts.length + 1);
}, 120_000);
