import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rm } from 'node:fs/promises';
import { spawnServer, startServerOn } from '@chatd/test-server';
import { createTestDatabase, execute } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { expect, onTestFinished, test } from 'vitest';

test('after kill -9 of the replica that delivers an event, another one delivers it before later events of the chat', async () => {
  const { url: databaseUrl } = await createTestDatabase();
  const dataDir = await makeTemporaryDirectory();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const env = {
    CHATD_DATABASE_URL: databaseUrl,
    CHATD_SECRET_KEY: 'a-secret-key-of-the-tests',
    CHATD_ALLOW_PRIVATE_URLS: '1',
  };
  const victim = await spawnServer(dataDir, { env });
  onTestFinished(() => void victim.child.kill('SIGKILL'));

  // The first request is never answered: the replica that made it dies.
  const received: { id: string; version: number }[] = [];
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { data } = JSON.parse(Buffer.concat(chunks).toString()) as {
        data: { snapshot_version: number };
      };
      const id = String(request.headers['webhook-id']);
      received.push({ id, version: data.snapshot_version });
      if (received.length === 1) victim.child.kill('SIGKILL');
      else response.writeHead(204).end();
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  onTestFinished(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  const { port } = receiver.address() as AddressInfo;
  const body = { url: `http://127.0.0.1:${port}/`, events: ['chat.waiting'] };
  await victim.client.ok('createWebhook', { body });
  const { id: chat_id } = await victim.client.ok('createChat', {
    body: { content: 'Hi', title: 'Killed' },
  });
  await once(victim.child, 'exit');

  const survivor = await startServerOn(databaseUrl, {
    concurrency: 4,
    secretKey: env.CHATD_SECRET_KEY,
  });
  await survivor.admin.ok('sendMessage', { params: { chat_id }, body: { content: 'Again' } });
  await eventually(async () =>
    expect(await execute(databaseUrl, `SELECT FROM outbox`)).toHaveLength(2),
  );
  await eventually(() => expect(received).toHaveLength(3));
  const [lost, first, second] = received;
  expect(first).toEqual(lost);
  expect(second?.version).toBeGreaterThan(first?.version ?? 0);
  expect(second?.id).not.toBe(first?.id);
}, 150_000);
