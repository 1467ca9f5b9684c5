import { execFile } from 'node:child_process';
import { chown, mkdir, readFile, readdir, rm, stat, truncate } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { startEmbeddedPostgres } from '../../src/postgres/index.ts';
import { inspectPostmaster } from '../../src/postgres/postmaster-pid.ts';
import { isAlive } from '../../src/postgres/process-identity.ts';
import { socketDirectoryFor } from '../../src/postgres/socket-directory.ts';
import {
  clusterIn,
  freshDataDirectory,
  prepareDataDirectories,
} from '../support/data-directory.ts';
import { execute } from '@chatd/test-server/database';
import { startSupervisor, started } from '../support/supervisor.ts';

const run = promisify(execFile);
const directories = prepareDataDirectories();
const isRoot = process.geteuid?.() === 0;

test('a fresh directory becomes a database that only its own URL can open', async () => {
  const dataDir = await freshDataDirectory();
  const server = await startEmbeddedPostgres({ dataDir });
  expect(server.adopted).toBe(false);
  const [facts] = await execute(
    server.url,
    `SELECT current_user, current_database(), current_setting('listen_addresses') AS addresses,
            current_setting('ssl') AS ssl, current_setting('fsync') AS fsync, datlocprovider, datlocale, pg_encoding_to_char(encoding) AS encoding
     FROM pg_database WHERE datname = current_database()`,
  );
  expect(facts).toEqual({
    current_user: 'chatd',
    current_database: 'chatd',
    addresses: '',
    // docs/dependencies.md relies on it: the OpenSSL of the embedded PostgreSQL is old.
    ssl: 'off',
    fsync: 'on',
    datlocprovider: 'b',
    datlocale: 'C.UTF-8',
    encoding: 'UTF8',
  });
  const guess = server.url.replace(/chatd:[^@]+@/, 'chatd:guess@');
  await expect(execute(guess, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  await server.stop();
});

test('the password, the files, and the socket are private to their owner', async () => {
  const dataDir = await directories.used();
  const server = await startEmbeddedPostgres({ dataDir });
  expect(await modeOf(join(dataDir, 'database', 'password'))).toBe('600');
  expect(await modeOf(join(dataDir, 'database'))).toBe('700');
  expect(await modeOf(join(dataDir, 'socket'))).toBe('700');
  await server.stop();
});

test('data survives a stop and a start', async () => {
  const dataDir = await directories.used();
  const first = await startEmbeddedPostgres({ dataDir });
  await execute(first.url, 'CREATE TABLE kept AS SELECT 1 AS id');
  await first.stop();
  const second = await startEmbeddedPostgres({ dataDir });
  expect(second).toMatchObject({ adopted: false, url: first.url });
  expect(await execute(second.url, 'SELECT id FROM kept')).toEqual([{ id: 1 }]);
  await second.stop();
});

test('a stop leaves no process and no socket, and is idempotent', async () => {
  const dataDir = await directories.used();
  const server = await startEmbeddedPostgres({ dataDir });
  const pid = await postmasterOf(dataDir);
  await Promise.all([server.stop(), server.stop()]);
  await server.stop();
  expect(isAlive(pid)).toBe(false);
  expect(await readdir(dataDir)).not.toContain('socket');
  expect(await inspectPostmaster(clusterIn(dataDir))).toEqual({ state: 'absent' });
});

test('settings reach the server', async () => {
  const dataDir = await directories.used();
  const settings = { work_mem: '5MB', application_name: 'a name with spaces' };
  const server = await startEmbeddedPostgres({ dataDir, settings });
  expect(
    await execute(
      server.url,
      `SELECT current_setting('work_mem') AS work_mem, reset_val AS name
                             FROM pg_settings WHERE name = 'application_name'`,
    ),
  ).toEqual([{ work_mem: '5MB', name: 'a name with spaces' }]);
  await server.stop();
});

test('Ctrl-C in the terminal does not reach the server: it has its own process group', async () => {
  const dataDir = await directories.used();
  const server = await startEmbeddedPostgres({ dataDir });
  const pid = await postmasterOf(dataDir);
  const { stdout } = await run('ps', ['-o', 'pgid=', '-p', String(pid)]);
  expect(Number(stdout)).toBe(pid);
  await server.stop();
});

test('a directory name can contain spaces, apostrophes, commas, and umlauts', async () => {
  const dataDir = await directories.unpacked(`my data, 'größer' than yours`);
  const server = await startEmbeddedPostgres({ dataDir });
  expect(await execute(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await server.stop();
});

test('a path too long for a socket gets a private socket directory elsewhere', async () => {
  const dataDir = await directories.unpacked(join('x'.repeat(60), 'y'.repeat(60)));
  const server = await startEmbeddedPostgres({ dataDir });
  const elsewhere = socketDirectoryFor(dataDir);
  expect(elsewhere.startsWith(dataDir)).toBe(false);
  expect(await modeOf(elsewhere)).toBe('700');
  expect(await execute(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await server.stop();
  await expect(stat(elsewhere)).rejects.toMatchObject({ code: 'ENOENT' });
});

test.skipIf(!isRoot)('a socket directory of another user is not used (requires root)', async () => {
  const dataDir = await directories.unpacked(join('x'.repeat(60), 'y'.repeat(60)));
  const elsewhere = socketDirectoryFor(dataDir);
  await mkdir(elsewhere);
  onTestFinished(() => rm(elsewhere, { recursive: true }));
  await chown(elsewhere, 12_345, 12_345);
  await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({
    kind: 'foreign_data_directory',
    message: expect.stringContaining(elsewhere),
  });
});

test('two concurrent starts on a fresh directory share one server', async () => {
  const dataDir = await freshDataDirectory();
  const both = await Promise.all([
    startEmbeddedPostgres({ dataDir }),
    startEmbeddedPostgres({ dataDir }),
  ]);
  expect(both.filter(({ adopted }) => adopted)).toHaveLength(1);
  expect(both[0].url).toBe(both[1].url);
  expect(await execute(both[0].url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await Promise.all(both.map((server) => server.stop()));
  expect(await entriesOf(dataDir)).toEqual(['database', 'postgres', 'postgres.log']);
});

test('two processes that start concurrently on a fresh directory share one server', async () => {
  const dataDir = await freshDataDirectory();
  const both = [startSupervisor(dataDir), startSupervisor(dataDir)];
  const facts = await Promise.all(both.map((supervisor) => supervisor.says(started)));
  expect(facts.filter(({ adopted }) => adopted === true)).toHaveLength(1);
  expect(await execute(facts[0]!.url!, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await Promise.all(both.map((supervisor) => supervisor.stop()));
  expect(await entriesOf(dataDir)).toEqual(['database', 'postgres', 'postgres.log']);
});

test('the binaries of an earlier version are removed once a newer one runs', async () => {
  const dataDir = await directories.used();
  await mkdir(join(dataDir, 'postgres', '17.0.0'));
  const server = await startEmbeddedPostgres({ dataDir });
  expect(await readdir(join(dataDir, 'postgres'))).toEqual([expect.stringMatching(/^18\./)]);
  await server.stop();
});

test('a large log is rotated at the next start', async () => {
  const dataDir = await directories.used();
  const log = join(dataDir, 'postgres.log');
  await truncate(log, 11 * 1024 * 1024);
  const server = await startEmbeddedPostgres({ dataDir });
  expect((await stat(`${log}.1`)).size).toBe(11 * 1024 * 1024);
  expect(await readFile(log, 'utf8')).toMatch(/ready to accept connections/);
  await server.stop();
});

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

async function postmasterOf(dataDir: string): Promise<number> {
  const found = await inspectPostmaster(clusterIn(dataDir));
  if (!('file' in found)) throw new Error(`no server runs in ${basename(dataDir)}`);
  return found.file.pid;
}

async function entriesOf(dataDir: string): Promise<string[]> {
  return (await readdir(dataDir)).sort();
}
