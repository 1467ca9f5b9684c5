import { rm } from 'node:fs/promises';
import { Chat } from '@chatd/protocol';
import { spawnServer, startServerOn } from '@chatd/test-server';
import { createTestDatabase } from '@chatd/test-server/database';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { expect, onTestFinished, test } from 'vitest';
import { eventStream } from './clients.ts';
import { Seen } from './viewer.ts';

test('the stream of a turn resumes on another replica after kill -9 in the middle of an answer', async () => {
  const { url: databaseUrl } = await createTestDatabase();
  const dataDir = await makeTemporaryDirectory();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const victim = await spawnServer(dataDir, {
    args: ['--lease-seconds', '8'],
    env: { CHATD_DATABASE_URL: databaseUrl },
  });
  onTestFinished(() => void victim.child.kill('SIGKILL'));
  const survivor = await startServerOn(databaseUrl, { concurrency: 4, leaseMs: 8000 });

  const body = { content: 'be slow for 5 seconds', title: 'Test' };
  const cut = await eventStream(victim.client, '/chats', { body });
  await cut.received.until(
    ({ events }) => events.filter(({ type }) => type === 'message_part').length > 2,
  );
  victim.child.kill('SIGKILL');
  await cut.received.ended();
  const { id } = Chat.parse(cut.received.events[0]?.['body']);
  expect(cut.received.events.at(-1)?.type).toBe('message_part');

  const query = `?after=${String(cut.received.events.at(-1)?.['cursor'])}`;
  const rest = await eventStream(survivor.admin, `/chats/${id}/stream`, { query });
  await rest.received.until(({ events }) => events.some(({ status }) => status === 'waiting'));
  rest.close();
  const seen = new Seen();
  for (const event of [...cut.received.events.slice(1), ...rest.received.events]) {
    seen.take(JSON.stringify(event));
  }
  seen.check();
  const { messages } = await survivor.admin.ok('listMessages', { params: { chat_id: id } });
  expect([...seen.messages.values()]).toEqual(messages);
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect([seen.status, seen.live, seen.queued]).toEqual(['waiting', undefined, []]);
}, 120_000);
