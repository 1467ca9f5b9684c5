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

test('a second server is told that one is running, where, and what it can do', async () => {
  const place = await newPlace();
  const first = await acquire(place);
  await first.announce(SERVER);
  const second = acquireOwnerLock(place);
  await expect(second).rejects.toThrow(AlreadyRunning);
  await expect(second).rejects.toMatchObject({
    server: SERVER,
    message: expect.stringContaining(`http://127.0.0.1:7717 (pid ${process.pid}`),
    hint: expect.stringContaining('CHATD_DATA_DIR'),
  });
});

test('a second server is also refused while the first has not said yet where it is', async () => {
  const place = await newPlace();
  await acquire(place);
  await expect(acquireOwnerLock(place)).rejects.toMatchObject({
    server: undefined,
    message: expect.stringContaining('is starting or running'),
  });
});

test('after a release the next server may start, and the old announcement is gone', async () => {
  const place = await newPlace();
  const first = await acquire(place);
  await first.announce(SERVER);
  await first.release();
  expect(await readdir(place.dataDir)).toEqual([]);
  await acquire(place);
});

test('a server that was killed owns nothing any more, whatever its announcement says', async () => {
  const place = await newPlace();
  const owner = spawn(
    process.execPath,
    [
      '--conditions=chatd-source',
      join(import.meta.dirname, '../support/owning-process.ts'),
      place.databaseUrl,
      place.dataDir,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void owner.kill('SIGKILL'));
  await once(owner.stdout, 'data');
  await expect(acquireOwnerLock(place)).rejects.toMatchObject({ server: { pid: owner.pid } });

  owner.kill('SIGKILL');
  await once(owner, 'exit');
  const next = await acquire(place);
  await next.announce(SERVER);
  expect(JSON.parse(await readFile(join(place.dataDir, 'server.json'), 'utf8'))).toEqual(SERVER);
});

test('an announcement that makes no sense is no obstacle', async () => {
  const place = await newPlace();
  await writeFile(join(place.dataDir, 'server.json'), '{"pid":');
  await acquire(place);
});

test('the lock is taken again when its session is cut', async () => {
  const place = await newPlace();
  const onLost = vi.fn<() => void>();
  await acquire({ ...place, onLost });
  const [before] = await holders(place.databaseUrl);
  await execute(place.databaseUrl, `SELECT pg_terminate_backend(${before!.pid})`);
  await eventually(async () => {
    const [after] = await holders(place.databaseUrl);
    expect(after?.pid).toBeDefined();
    expect(after?.pid).not.toBe(before!.pid);
  });
  await expect(acquireOwnerLock(place)).rejects.toThrow(AlreadyRunning);
  expect(onLost).not.toHaveBeenCalled();
});

test('an owner whose lock somebody else got while its session was cut is told so', async () => {
  const place = await newPlace();
  const onLost = vi.fn<(reason: AlreadyRunning) => void>();
  await acquire({ ...place, onLost });
  const usurper = new Client({ connectionString: place.databaseUrl });
  await usurper.connect();
  onTestFinished(() => usurper.end());
  // First in the queue, so that the lock is taken before its owner can come back.
  const taken = usurper.query('SELECT pg_advisory_lock($1::int, $2::int)', [
    ...ADVISORY_LOCKS.owner,
  ]);
  await eventually(async () => expect(await locks(place.databaseUrl)).toHaveLength(2));
  const [held] = await holders(place.databaseUrl);
  await execute(place.databaseUrl, `SELECT pg_terminate_backend(${held!.pid})`);
  await taken;
  await eventually(() => {
    expect(onLost).toHaveBeenCalledExactlyOnceWith(expect.any(AlreadyRunning));
  });
});

interface Place {
  readonly databaseUrl: string;
  readonly dataDir: string;
}

async function newPlace(): Promise<Place> {
  const database = await createTestDatabase(onTestFinished);
  const dataDir = await mkdtemp(join(tmpdir(), 'chatd-owner-'));
  onTestFinished(() => rm(dataDir, { recursive: true }));
  return { databaseUrl: database.url, dataDir };
}

async function acquire(
  options: Place & { onLost?: (reason: AlreadyRunning) => void },
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
