import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startOwnPostgres } from '../../src/startup/own-postgres.ts';
import { startEmbeddedPostgres } from '../../src/postgres/index.ts';
import { inspectPostmaster } from '../../src/postgres/postmaster-pid.ts';
import { isAlive } from '../../src/postgres/process-identity.ts';
import { clusterIn, prepareDataDirectories } from '../support/data-directory.ts';
import { eventually } from '@chatd/test-server/eventually';
import { execute } from '@chatd/test-server/database';
import { startSupervisor, started } from '../support/supervisor.ts';

const directories = prepareDataDirectories();

test('the orphaned server of a killed process is adopted, with all committed data', async () => {
  const dataDir = await directories.used();
  const supervisor = startSupervisor(dataDir);
  const { url = '' } = await supervisor.says(started);
  await execute(url, 'CREATE TABLE kept AS SELECT 1 AS id');
  const orphan = await postmasterOf(dataDir);
  await supervisor.kill();
  expect(isAlive(orphan)).toBe(true);

  const server = await startEmbeddedPostgres({ dataDir });
  expect(server).toMatchObject({ adopted: true, url });
  expect(await postmasterOf(dataDir)).toBe(orphan);
  expect(await execute(server.url, 'SELECT id FROM kept')).toEqual([{ id: 1 }]);
  await server.stop();
  expect(isAlive(orphan)).toBe(false);
  expect(await readdir(dataDir)).not.toContain('socket');
});

test('after kill -9 of the server, the next start recovers committed data', async () => {
  const dataDir = await directories.used();
  const supervisor = startSupervisor(dataDir);
  const { url = '' } = await supervisor.says(started);
  await execute(url, 'CREATE TABLE kept AS SELECT 1 AS id');
  const killed = await postmasterOf(dataDir);
  await supervisor.kill();
  process.kill(killed, 'SIGKILL');

  const server = await startEmbeddedPostgres({ dataDir });
  expect(server.adopted).toBe(false);
  expect(await execute(server.url, 'SELECT id FROM kept')).toEqual([{ id: 1 }]);
  await server.stop();
});

test.each([
  ['as soon as it runs', false],
  ['while it is watched', true],
])('a server that is killed %s is restarted at the same URL', async (_, watched) => {
  const dataDir = await directories.used();
  const server = await startOwnPostgres({
    dataDir,
    onProgress: () => undefined,
    onError: () => undefined,
  });
  const killed = await postmasterOf(dataDir);
  if (watched) {
    await eventually(async () => {
      const watchers = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'chatd watch'`;
      expect(await execute(server.url, watchers)).toHaveLength(1);
    });
  }
  process.kill(killed, 'SIGKILL');
  const second = await eventually(async () => {
    expect(await execute(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    const pid = await postmasterOf(dataDir);
    expect(pid).not.toBe(killed);
    return pid;
  });
  await server.stop();
  expect(isAlive(second)).toBe(false);
});

test('lock files whose pid now belongs to another program are removed, and that program keeps running', async () => {
  const dataDir = await directories.used();
  const socketDirectory = join(dataDir, 'socket');
  const bystander = spawn('sleep', ['600']);
  onTestFinished(() => void bystander.kill());
  await once(bystander, 'spawn');
  const claim = `${bystander.pid}\n${clusterIn(dataDir)}\n1\n5432\n${socketDirectory}\n\n1 1\nready\n`;
  await writeAsOwner(clusterIn(dataDir), 'postmaster.pid', claim);
  await mkdir(socketDirectory);
  await writeAsOwner(socketDirectory, '.s.PGSQL.5432.lock', claim);

  const server = await startEmbeddedPostgres({ dataDir });
  expect(server.adopted).toBe(false);
  expect(await execute(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await server.stop();
  expect(bystander).toMatchObject({ exitCode: null, signalCode: null });
});

test('a pid file whose pid now belongs to another PostgreSQL is removed, and that server keeps running', async () => {
  const [dataDir, otherDir] = [await directories.used(), await directories.used()];
  const other = await startEmbeddedPostgres({ dataDir: otherDir });
  await writeAsOwner(
    dataDir,
    'postmaster.pid',
    await readFile(join(clusterIn(otherDir), 'postmaster.pid'), 'utf8'),
  );

  const server = await startEmbeddedPostgres({ dataDir });
  expect(server.adopted).toBe(false);
  expect(server.url).not.toBe(other.url);
  await server.stop();
  expect(await execute(other.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await other.stop();
});

test('an empty pid file, left by a crash during the write, is removed', async () => {
  const dataDir = await directories.used();
  await writeAsOwner(clusterIn(dataDir), 'postmaster.pid', '');
  const server = await startEmbeddedPostgres({ dataDir });
  expect(server.adopted).toBe(false);
  await server.stop();
});

test('a start waits for a server that is shutting down', async () => {
  const dataDir = await directories.used();
  const supervisor = startSupervisor(dataDir);
  const { url } = await supervisor.says(started);
  const leaving = await postmasterOf(dataDir);
  const lastClient = new Client({ connectionString: url });
  await lastClient.connect();
  await supervisor.kill();
  // SIGTERM is a smart shutdown: the server waits for its clients.
  process.kill(leaving, 'SIGTERM');
  await eventually(async () => {
    expect(await inspectPostmaster(clusterIn(dataDir))).toMatchObject({ state: 'stopping' });
  });

  const progress: string[] = [];
  const starting = startEmbeddedPostgres({ dataDir, onProgress: (line) => progress.push(line) });
  await eventually(() => {
    expect(progress).toContainEqual(expect.stringContaining('Waiting for the previous PostgreSQL'));
  });
  await lastClient.end();
  const server = await starting;
  expect(server.adopted).toBe(false);
  expect(isAlive(leaving)).toBe(false);
  await server.stop();
});

test('a process that is killed while it creates its database does not affect the next start', async () => {
  const dataDir = await directories.unpacked();
  const supervisor = startSupervisor(dataDir);
  await supervisor.says(({ progress }) => progress?.startsWith('Creating') === true);
  await eventually(async () => {
    expect(await readdir(dataDir)).toContainEqual(expect.stringMatching(/^database\.unfinished-/));
  });
  await supervisor.kill();

  const server = await startEmbeddedPostgres({ dataDir });
  expect(await execute(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await server.stop();
  expect((await readdir(dataDir)).sort()).toEqual(['database', 'postgres', 'postgres.log']);
});

test('the unfinished database of a running process is not removed', async () => {
  const dataDir = await directories.unpacked();
  const builder = spawn('sleep', ['600']);
  onTestFinished(() => void builder.kill());
  await once(builder, 'spawn');
  await mkdir(join(dataDir, `database.unfinished-${builder.pid}-0`), { recursive: true });
  const server = await startEmbeddedPostgres({ dataDir });
  await server.stop();
  expect(await readdir(dataDir)).toContain(`database.unfinished-${builder.pid}-0`);
});

test('a second start waits for a server that is still starting, and adopts it', async () => {
  const dataDir = await directories.used();
  await makeStandby(dataDir);
  const settings = { hot_standby: 'off' };
  const first = startEmbeddedPostgres({ dataDir, settings });
  const pid = await eventually(() => postmasterOf(dataDir));
  const progress: string[] = [];
  const second = startEmbeddedPostgres({ dataDir, onProgress: (line) => progress.push(line) });
  await eventually(() => {
    expect(progress).toContainEqual(expect.stringContaining(`(pid ${pid})`));
  });
  await promoteStandby(dataDir, pid);
  expect(await first).toMatchObject({ adopted: false });
  expect(await second).toMatchObject({ adopted: true });
  await (await second).stop();
  await (await first).stop();
  expect(isAlive(pid)).toBe(false);
});

test('an aborted start leaves nothing running', async () => {
  const dataDir = await directories.used();
  await makeStandby(dataDir);
  const controller = new AbortController();
  const starting = startEmbeddedPostgres({
    dataDir,
    settings: { hot_standby: 'off' },
    signal: controller.signal,
  });
  const pid = await eventually(() => postmasterOf(dataDir));
  const reason = new Error('no longer wanted');
  controller.abort(reason);
  await expect(starting).rejects.toBe(reason);
  expect(isAlive(pid)).toBe(false);
  expect(await inspectPostmaster(clusterIn(dataDir))).toEqual({ state: 'absent' });
});

/** Makes the server a standby without a primary, which never becomes ready. */
async function makeStandby(dataDir: string): Promise<void> {
  await writeAsOwner(clusterIn(dataDir), 'standby.signal', '');
}

async function promoteStandby(dataDir: string, pid: number): Promise<void> {
  await eventually(async () => {
    const log = await readFile(join(dataDir, 'postgres.log'), 'utf8');
    expect(log).toContain('consistent recovery state reached');
  });
  await writeAsOwner(clusterIn(dataDir), 'promote', '');
  process.kill(pid, 'SIGUSR1');
}

async function writeAsOwner(directory: string, name: string, text: string): Promise<void> {
  const path = join(directory, name);
  await writeFile(path, text, { mode: 0o600 });
  const { uid, gid } = await stat(directory);
  await chown(path, uid, gid);
}

async function postmasterOf(dataDir: string): Promise<number> {
  const found = await inspectPostmaster(clusterIn(dataDir));
  if (!('file' in found)) throw new Error('no server runs there');
  return found.file.pid;
}
