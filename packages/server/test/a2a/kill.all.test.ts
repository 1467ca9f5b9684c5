import { rm } from 'node:fs/promises';
import { spawnServer, startServerOn } from '@chatd/test-server';
import { createTestDatabase } from '@chatd/test-server/database';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { expect, onTestFinished, test } from 'vitest';
import { connect, Followed, message, named } from './agent.ts';

test('after kill -9, a task continues on another replica, without lost or repeated text', async () => {
  const { url: databaseUrl } = await createTestDatabase();
  const dataDir = await makeTemporaryDirectory();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const victim = await spawnServer(dataDir, {
    args: ['--lease-seconds', '8'],
    env: { CHATD_DATABASE_URL: databaseUrl },
  });
  onTestFinished(() => void victim.child.kill('SIGKILL'));
  const survivor = await startServerOn(databaseUrl, { concurrency: 4, leaseMs: 8000 });

  const seen = new Followed();
  const before = await connect(victim.url, victim.client.headers);
  const request = message('be slow for 5 seconds');
  const cut = async () => {
    for await (const event of before.sendMessageStream(request)) {
      seen.take(event);
      if (seen.deltas.length > 2) victim.child.kill('SIGKILL');
    }
  };
  await expect(cut()).rejects.toBeInstanceOf(Error);
  const { id, contextId } = seen.task!;
  const half = seen.text;
  expect(half).not.toBe('');

  const after = await connect(survivor.url, survivor.admin.headers);
  // A client that has not seen the task repeats its message.
  const repeated = new Followed().all(after.sendMessageStream(request));
  await seen.all(after.resubscribeTask(named(id)));
  const { messages } = await survivor.admin.ok('listMessages', { params: { chat_id: contextId } });
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  const said = messages[1]?.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  expect([seen.text, seen.state]).toEqual([said?.join(''), 'COMPLETED']);
  expect(seen.text.length).toBeGreaterThan(half.length);
  expect(await repeated).toMatchObject({ text: seen.text, state: 'COMPLETED' });
}, 120_000);
