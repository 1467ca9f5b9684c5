import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ADVISORY_LOCKS } from '../../src/postgres/advisory-locks.ts';
import { acquireOwnerLock, AlreadyRunning } from '../../src/postgres/index.ts';
import type { OwnerLock } from '../../src/postgres/index.ts';
import { createTestDatabase, execute } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';

const SERVER = {
  pid: process.pid,
  url: 'http://127.0.0.1:7717',
  started_at: '2026-11-01T12:00:00Z',
};

test('a second server is refused, with the URL of the first and a hint', async () => {
  const deployment = await newDeployment();
  const first = await acquire(deployment);
  await first.announce(SERVER);
  const second = acquireOwnerLock(deployment);
  await expect(second).rejects.toThrow(AlreadyRunning);
  await expect(second).rejects.toMatchObject({
    server: SERVER,
    message: expect.stringContaining(`http://127.0.0.1:7717 (pid ${process.pid}`),
    hint: expect.stringContaining('CHATD_DATA_DIR'),
  });
});

test('a second server is refused before the first has announced its URL', async () => {
  const deployment = await newDeployment();
  await acquire(deployment);
  await expect(acquireOwnerLock(deployment)).rejects.toMatchObject({
    server: undefined,
    message: expect.stringContaining('is starting or running'),
  });
});

test('after a release, the next server can start, and the old announcement is gone', async () => {
  const deployment = await newDeployment();
  const first = await acquire(deployment);
  await first.announce(SERVER);
  await first.release();
  expect(await readdir(deployment.dataDir)).toEqual([]);
  await acquire(deployment);
});

test('a killed server no longer holds the lock, whatever its announcement says', async () => {
  const deployment = await newDeployment();
  const owner = spawn(
    process.execPath,
    [
      '--conditions=chatd-source',
      join(import.meta.dirname, '../support/owning-process.ts'),
      deployment.databaseUrl,
      deployment.dataDir,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void owner.kill('SIGKILL'));
  await once(owner.stdout, 'data');
  await expect(acquireOwnerLock(deployment)).rejects.toMatchObject({ server: { pid: owner.pid } });

  owner.kill('SIGKILL');
  await once(owner, 'exit');
  const next = await acquire(deployment);
  await next.announce(SERVER);
  expect(JSON.parse(await readFile(join(deployment.dataDir, 'server.json'), 'utf8'))).toEqual(
    SERVER,
  );
});

test('an invalid announcement is ignored', async () => {
  const deployment = await newDeployment();
  await writeFile(join(deployment.dataDir, 'server.json'), '{"pid":');
  await acquire(deployment);
});

test('the owner reacquires the lock when its session is cut', async () => {
  const deployment = await newDeployment();
  const onLost = vi.fn<() => void>();
  await acquire({ ...deployment, onLost });
  const [before] = await holders(deployment.databaseUrl);
  await execute(deployment.databaseUrl, `SELECT pg_terminate_backend(${before!.pid})`);
  await eventually(async () => {
    const [after] = await holders(deployment.databaseUrl);
    expect(after?.pid).toBeDefined();
    expect(after?.pid).not.toBe(before!.pid);
  });
  await expect(acquireOwnerLock(deployment)).rejects.toThrow(AlreadyRunning);
  expect(onLost).not.toHaveBeenCalled();
});

test('an owner is notified if another session gets the lock while its own session is cut', async () => {
  const deployment = await newDeployment();
  const onLost = vi.fn<(reason: AlreadyRunning) => void>();
  await acquire({ ...deployment, onLost });
  const usurper = new Client({ connectionString: deployment.databaseUrl });
  await usurper.connect();
  onTestFinished(() => usurper.end());
  // First in the queue, so that it gets the lock before the owner reconnects.
  const taken = usurper.query('SELECT pg_advisory_lock($1::int, $2::int)', [
    ...ADVISORY_LOCKS.owner,
  ]);
  await eventually(async () => expect(await locks(deployment.databaseUrl)).toHaveLength(2));
  const [held] = await holders(deployment.databaseUrl);
  await execute(deployment.databaseUrl, `SELECT pg_terminate_backend(${held!.pid})`);
  await taken;
  await eventually(() => {
    expect(onLost).toHaveBeenCalledExactlyOnceWith(expect.any(AlreadyRunning));
  });
});

interface Deployment {
  readonly databaseUrl: string;
  readonly dataDir: string;
}

async function newDeployment(): Promise<Deployment> {
  const database = await createTestDatabase(onTestFinished);
  const dataDir = await mkdtemp(join(tmpdir(), 'chatd-owner-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  return { databaseUrl: database.url, dataDir };
}

async function acquire(
  options: Deployment & { onLost?: (reason: AlreadyRunning) => void },
): Promise<OwnerLock> {
  const lock = await acquireOwnerLock(options);
  onTestFinished(() => lock.release());
  return lock;
}

async function holders(url: string): Promise<{ pid: number }[]> {
  return (await locks(url)).filter(({ granted }) => granted);
}

function locks(url: string): Promise<{ pid: number; granted: boolean }[]> {
  return execute(
    url,
    `SELECT pid, granted FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
     WHERE locktype = 'advisory' AND datname = current_database()`,
  );
}
