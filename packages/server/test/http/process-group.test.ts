import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { launch, postgresPid, type ServerProcess, spawnServer } from '@chatd/test-server';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isAlive } from '../../src/postgres/process-identity.ts';

// Processes and databases start from scratch, possibly on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const SETTINGS = ['--processes', '2', '--workspaces', '0', '--rate-limit', '0'];

async function startedGroup(...args: string[]) {
  const dataDir = await makeTemporaryDirectory();
  const server = await spawnServer(dataDir, { args: [...SETTINGS, ...args] });
  onTestFinished(async () => {
    server.child.kill('SIGTERM');
    await server.ended;
    await rm(dataDir, { recursive: true, force: true });
  });
  return { server, dataDir };
}

/** The processes that have started to serve, from the log. */
const pidsOf = (server: ServerProcess): number[] =>
  server
    .output()
    .stderr.split('\n')
    .filter((line) => line.includes('"chatd started"'))
    .map((line) => (JSON.parse(line) as { pid: number }).pid);

async function until(done: () => boolean): Promise<void> {
  while (!done()) await sleep(50);
}

/** Uses a new connection, so that each request can reach another process. */
const get = async (server: ServerProcess, path: string): Promise<string> => {
  const { authorization } = server.client.headers as { authorization: string };
  const response = await fetch(`${server.url}${path}`, {
    headers: { authorization, connection: 'close' },
  });
  expect(response.status).toBe(200);
  return await response.text();
};

test('processes share one port, report metrics together, and stop together', async () => {
  const { server, dataDir } = await startedGroup();
  const pids = pidsOf(server);
  expect(new Set([...pids, server.child.pid]).size).toBe(3);
  const postgres = await postgresPid(dataDir);

  const requests = 20;
  for (let index = 0; index < requests; index += 1) await get(server, '/api/v1/chats');
  const counted = /^chatd_http_request_duration_seconds_count\{route="[^"]*\/chats".*\} (\d+)$/m;
  // Every process reports the same sum.
  for (let index = 0; index < 4; index += 1) {
    const metrics = await get(server, '/metrics');
    expect(counted.exec(metrics)?.[1]).toBe(String(requests));
    expect(metrics).toMatch(/^chatd_database_up 1$/m);
  }

  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  for (const pid of [...pids, postgres ?? 0]) expect(isAlive(pid)).toBe(false);
  expect(server.output().stdout.split('\n')).toHaveLength(2);
});

test('a killed process is replaced, and its chats continue', async () => {
  const { server, dataDir } = await startedGroup('--lease-seconds', '5', '--workspaces', '1');
  const postgres = await postgresPid(dataDir);
  const { id: template_id } = await server.client.ok('createTemplate', {
    body: { name: 'any', driver: 'host', setup: 'touch made' },
  });
  const { id: workspace_id } = await server.client.ok('createWorkspace', { body: { template_id } });
  // One process runs the machine, and all processes use it.
  const listFiles = async () => {
    for (let index = 0; index < 6; index += 1) {
      const files = await get(server, `/api/v1/workspaces/${workspace_id}/files`);
      expect(files).toContain('"made"');
    }
  };
  await eventually(listFiles);
  const contents = Array.from({ length: 8 }, (_, index) => `count to ${index + 3}`);
  const chats = await Promise.all(
    contents.map((content) => server.client.ok('createChat', { body: { content } })),
  );
  const [first, second] = pidsOf(server);
  process.kill(first ?? 0, 'SIGKILL');
  await until(() => pidsOf(server).length === 3);
  process.kill(second ?? 0, 'SIGKILL');
  await until(() => pidsOf(server).length === 4);
  for (const { id } of chats) {
    const params = { chat_id: id };
    await eventually(async () =>
      expect(await server.client.ok('getChat', { params })).toMatchObject({ status: 'waiting' }),
    );
    const { messages } = await server.client.ok('listMessages', { params });
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  }
  await eventually(listFiles);
  expect(await postgresPid(dataDir)).toBe(postgres);
});

test('a restart by SIGHUP replaces all processes without lost or repeated writes', async () => {
  const { server } = await startedGroup('--concurrency', '0');
  const before = pidsOf(server);
  const acknowledged: string[] = [];
  const done = new AbortController();
  const write = async (writer: number) => {
    for (let index = 0; !done.signal.aborted; index += 1) {
      const content = `writer ${writer}, chat ${index}`;
      const input = { body: { content }, headers: { 'idempotency-key': randomUUID() } };
      for (;;) {
        // A process closes its idle connections when it stops. The request is then repeated with its key.
        const reply = await server.client.call('createChat', input).catch(() => undefined);
        if (reply === undefined) continue;
        expect(reply.status, reply.text).toBe(201);
        break;
      }
      acknowledged.push(content);
    }
  };
  const writing = Promise.all([0, 1, 2, 3].map(write));
  await until(() => acknowledged.length > 20);
  server.child.kill('SIGHUP');
  await until(() => server.output().stderr.includes('All processes were restarted'));
  const until20More = acknowledged.length + 20;
  await until(() => acknowledged.length > until20More);
  done.abort();
  await writing;
  const after = pidsOf(server).slice(2);
  expect(after).toHaveLength(2);
  for (const pid of before) expect(isAlive(pid)).toBe(false);
  for (const pid of after) expect(isAlive(pid)).toBe(true);

  const titles: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await server.client.ok('listChats', {
      query: { limit: 100, ...(cursor !== undefined && { cursor }) },
    });
    titles.push(...page.chats.map(({ title }) => title ?? ''));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  expect(titles.toSorted()).toEqual(acknowledged.toSorted());
});

test('a group whose first process cannot start exits with its code and reports the reason once', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const address = taken.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const dataDir = await makeTemporaryDirectory();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const command = ['serve', '--data-dir', dataDir, '--listen', `127.0.0.1:${port}`, ...SETTINGS];
  const { ended, output } = launch(command, {});
  expect(await ended).toBe(4);
  expect(output().stderr.split('is already in use')).toHaveLength(2);
  expect(await postgresPid(dataDir)).toBeUndefined();
});
