import { rm } from 'node:fs/promises';
import { spawnServer, startServerOn } from '@chatd/test-server';
import { createTestDatabase } from '@chatd/test-server/database';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { expect, onTestFinished, test } from 'vitest';
import { CLIENTS, type McpClient } from './clients.ts';

const connect = CLIENTS['the client at 2026-07-28']!;

async function open(url: string, headers: Readonly<Record<string, string>>): Promise<McpClient> {
  const client = await connect(url, headers['authorization']?.replace('Bearer ', '') ?? '');
  onTestFinished(() => client.close());
  return client;
}

/** Starts two replicas, and a client of the first one that waits for a chat. */
async function waiting() {
  const { url: databaseUrl } = await createTestDatabase();
  const dataDir = await makeTemporaryDirectory();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const first = await spawnServer(dataDir, {
    args: ['--lease-seconds', '8'],
    env: { CHATD_DATABASE_URL: databaseUrl },
  });
  onTestFinished(() => void first.child.kill('SIGKILL'));
  const second = await startServerOn(databaseUrl, { concurrency: 4, leaseMs: 8000 });
  const client = await open(first.url, first.client.headers);
  const started = await client.call('start_chat', { message: 'be slow for 5 seconds' });
  const { chat_id } = started.structuredContent as { chat_id: string };
  const wait = (from: McpClient) => from.call('wait_for_chat', { chat_id, timeout_seconds: 100 });
  const answerOf = (chat_id: string) =>
    second.admin.ok('listMessages', { params: { chat_id } }).then(({ messages }) => messages[1]);
  return {
    chat_id,
    child: first.child,
    pending: wait(client),
    again: async () => wait(await open(second.url, second.admin.headers)),
    answerOf,
  };
}

test('a client that waits on a replica that is killed gets the answer from another replica', async () => {
  const { chat_id, child, pending, again, answerOf } = await waiting();
  child.kill('SIGKILL');
  await expect(pending).rejects.toBeInstanceOf(Error);
  const { structuredContent } = await again();
  const { content = [] } = (await answerOf(chat_id)) ?? {};
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  expect(text).not.toBe('');
  expect(structuredContent).toMatchObject({ status: 'waiting', chat_id, text });
}, 120_000);

test('a replica that stops asks a waiting client to wait again', async () => {
  const { chat_id, child, pending, again } = await waiting();
  child.kill('SIGTERM');
  const { structuredContent } = await pending;
  expect(structuredContent).toMatchObject({
    chat_id,
    note: expect.stringContaining('Call wait_for_chat again') as string,
  });
  expect((await again()).structuredContent).toMatchObject({ status: 'waiting' });
}, 120_000);
