import { rm } from 'node:fs/promises';
import { spawnServer, startServerOn } from '@chatd/test-server';
import { createTestDatabase } from '@chatd/test-server/database';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { expect, onTestFinished, test } from 'vitest';
import { catchLostConnections, TestAgent } from './agent.ts';

test('after kill -9, a run continues on another replica, without lost or repeated text', async () => {
  const { url: databaseUrl } = await createTestDatabase();
  const dataDir = await makeTemporaryDirectory();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const victim = await spawnServer(dataDir, {
    args: ['--lease-seconds', '8'],
    env: { CHATD_DATABASE_URL: databaseUrl },
  });
  onTestFinished(() => void victim.child.kill('SIGKILL'));
  onTestFinished(catchLostConnections());
  const survivor = await startServerOn(databaseUrl, { concurrency: 4, leaseMs: 8000 });

  const before = new TestAgent(`${victim.url}/api/v1/ag-ui`, victim.client.headers);
  before.onEvent(() => {
    if (before.types.filter((type) => type === 'TEXT_MESSAGE_CONTENT').length > 2) {
      victim.child.kill('SIGKILL');
    }
  });
  await expect(before.say('be slow for 5 seconds')).rejects.toThrow('terminated');

  const { threadId, messages } = before.agent;
  const after = new TestAgent(`${survivor.url}/api/v1/ag-ui`, survivor.admin.headers, threadId);
  after.agent.setMessages(messages);
  await after.run();
  expect(after.chatId).toBe(before.chatId);
  expect(after.last).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
  const params = { chat_id: after.chatId };
  const { messages: stored } = await survivor.admin.ok('listMessages', { params });
  expect(stored.map(({ role }) => role)).toEqual(['user', 'assistant']);
  const said = stored[1]?.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  expect(after.said).toEqual([
    'user: be slow for 5 seconds',
    'reasoning: I take my time.',
    `assistant: ${said?.join('') ?? ''}`,
  ]);
}, 120_000);
