import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { API_PREFIX } from '@chatd/protocol';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isAlive } from '../../src/postgres/process-identity.ts';
import { createTestDatabase, execute } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { launch, postgresPid, runToEnd, spawnServer } from '@chatd/test-server';

// Processes and databases start from scratch, possibly on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

async function dataDirectory(): Promise<string> {
  const directory = await makeTemporaryDirectory();
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

async function started(dataDir: string, ...args: string[]) {
  const server = await spawnServer(dataDir, { args });
  onTestFinished(async () => {
    server.child.kill('SIGTERM');
    await server.ended;
  });
  return server;
}

test('a server prints one line, responds, and leaves no process behind when interrupted', async () => {
  const dataDir = await dataDirectory();
  const server = await started(dataDir);
  const chat = await server.client.ok('createChat', { body: { content: 'hello' } });
  const postgres = await postgresPid(dataDir);
  expect(postgres).toBeDefined();
  server.child.kill('SIGINT');
  // npm and the terminal may both forward the same Ctrl-C.
  server.child.kill('SIGINT');
  expect(await server.ended).toBe(0);
  expect(server.output().stdout.split('\n')).toHaveLength(2);
  expect(isAlive(postgres ?? 0)).toBe(false);

  // The interrupted chat continues after the restart.
  const again = await started(dataDir);
  const params = { chat_id: chat.id };
  await eventually(async () =>
    expect(await again.client.ok('getChat', { params })).toMatchObject({
      id: chat.id,
      created_at: chat.created_at,
      status: 'waiting',
    }),
  );
  const { messages } = await again.client.ok('listMessages', { params });
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  again.child.kill('SIGTERM');
  expect(await again.ended).toBe(0);
});

test('a running request completes before the server stops', async () => {
  const dataDir = await dataDirectory();
  const { child, client, ended, url } = await started(dataDir);
  // The body is still being sent when the signal arrives.
  const sending = request(`${url}${API_PREFIX}/chats`, {
    method: 'POST',
    headers: { ...client.headers, 'content-type': 'application/json', expect: '100-continue' },
  });
  sending.flushHeaders();
  // The server has accepted the request and waits for the body.
  await once(sending, 'continue');
  sending.write('{"content":');
  child.kill('SIGTERM');
  await refusedConnections(url);
  const replied = once(sending, 'response') as Promise<[IncomingMessage]>;
  sending.end('"late"}');
  const [reply] = await replied;
  expect(reply.statusCode).toBe(201);
  reply.resume();
  expect(await ended).toBe(0);
});

async function refusedConnections(url: string): Promise<void> {
  for (;;) {
    const refused = await fetch(`${url}/healthz`, { headers: { connection: 'close' } }).then(
      async (response) => {
        await response.text();
        return false;
      },
      () => true,
    );
    if (refused) return;
  }
}

test('a second server on the same data directory reports the first and does not affect it', async () => {
  const dataDir = await dataDirectory();
  const { client, url, child } = await started(dataDir);
  const second = await runToEnd(['serve', '--data-dir', dataDir, '--listen', '127.0.0.1:0']);
  expect(second.code).toBe(3);
  expect(second.stdout).toBe('');
  expect(second.stderr).toContain(`chatd is already running on the data directory`);
  expect(second.stderr).toContain(url);
  expect(second.stderr).toContain(`kill ${child.pid}`);
  await client.ok('createChat', { body: { content: 'still here' } });
});

test('an occupied port is reported with a hint', async () => {
  const { url: databaseUrl } = await createTestDatabase(onTestFinished);
  const taken = createServer();
  await new Promise<void>((listening) => taken.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as { port: number };
  const { code, stdout, stderr } = await runToEnd([
    'serve',
    '--database-url',
    databaseUrl,
    '--listen',
    `127.0.0.1:${port}`,
  ]);
  expect([code, stdout]).toEqual([4, '']);
  expect(stderr).toContain(`Port ${port} on 127.0.0.1 is already in use`);
  expect(stderr).toContain('CHATD_LISTEN');
});

test('a database of a newer chatd is not changed', async () => {
  const { url } = await createTestDatabase(onTestFinished);
  await execute(url, `INSERT INTO schema_migrations VALUES (9999, 'future', 'x')`);
  const { code, stderr } = await runToEnd(['serve', '--database-url', url]);
  expect(code).toBe(5);
  expect(stderr).toContain('migrated by a newer chatd');
  expect(stderr).toContain('Upgrade chatd');
});

test('a server waits for an unreachable database and reports it until it is interrupted', async () => {
  const password = 'hunter2hunter2';
  const dataDir = await dataDirectory();
  const { child, ended, output, said } = launch(['serve', '--data-dir', dataDir], {
    env: {
      CHATD_DATABASE_URL: `postgresql://u:${password}@127.0.0.1:1/none`,
      CHATD_LISTEN: '127.0.0.1:0',
    },
  });
  await said('Waiting for the database at 127.0.0.1:1/none');
  child.kill('SIGINT');
  expect(await ended).toBe(0);
  expect(output().stdout).toBe('');
  expect(output().stderr).not.toContain(password);
});

test('invalid settings are reported with the allowed values', async () => {
  const dataDir = await dataDirectory();
  const run = (args: string[], env: Record<string, string> = {}) =>
    runToEnd(['serve', '--data-dir', dataDir, ...args], { env });
  const flag = await run(['--listn', 'x']);
  expect(flag.code).toBe(2);
  expect(flag.stderr).toContain('--listn');
  expect(flag.stderr).toContain('--listen');
  const listen = await run([], { CHATD_LISTEN: 'everywhere' });
  expect(listen.code).toBe(2);
  expect(listen.stderr).toContain('CHATD_LISTEN is not valid ("everywhere")');
  expect(listen.stderr).toContain('HOST:PORT');
  const token = await run([], { CHATD_ADMIN_TOKEN: 'short' });
  expect(token.code).toBe(2);
  expect(token.stderr).toContain('at least 16');
  expect(token.stderr).not.toContain('"short"');
  await writeFile(join(dataDir, 'chatd.json'), '{"listn": 1}');
  const file = await run([]);
  expect(file.code).toBe(2);
  expect(file.stderr).toContain('listn');
});

test('the command prints its help and version, and refuses unknown commands', async () => {
  const help = await runToEnd(['--help']);
  expect(help.code).toBe(0);
  expect(help.stdout).toContain('CHATD_DATABASE_URL');
  const { version } = JSON.parse(
    await readFile(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
  ) as { version: string };
  expect((await runToEnd(['--version'])).stdout).toBe(`chatd ${version}\n`);
  const wrong = await runToEnd(['start']);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('"start"');
});
