import { randomUUID } from 'node:crypto';
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { schemaFindings } from '../../src/doctor/schema-findings.ts';
import { migrate, newestMigration, readMigrations } from '../../src/store/migrate/migrate.ts';
import { ADMIN_TOKEN, startServerOn } from '@chatd/test-server';
import { createTestDatabase, execute } from '@chatd/test-server/database';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';

/*
 * A contract migration removes something, so it waits while replicas run that still use it. The tests add migrations of a
 * future version.
 */
const folder = await makeTemporaryDirectory();
afterAll(() => rm(folder, { recursive: true, force: true }));
const EXPAND = '9001_more';
const CONTRACT = '9002_less';
const NEWER = {
  [EXPAND]: 'CREATE TABLE old_things (id int);',
  [CONTRACT]: '-- Nobody reads it since 9001.\n-- contract: 9001\nDROP TABLE old_things;',
};
const newer = await migrationsWith('newer', NEWER);
const newest = String(await newestMigration()).padStart(4, '0');

async function migrationsWith(name: string, files: Record<string, string>): Promise<string> {
  const directory = join(folder, name);
  await cp(join(import.meta.dirname, '../../src/store/migrations'), directory, { recursive: true });
  for (const [file, sql] of Object.entries(files))
    await writeFile(join(directory, `${file}.sql`), sql);
  return directory;
}

const replica = (host: string) => ({ id: randomUUID(), program: '0.1.0', host });
const database = async () => (await createTestDatabase(onTestFinished)).url;
const hasOldThings = async (url: string) =>
  (await execute(url, `SELECT to_regclass('old_things') IS NOT NULL AS there`))[0];
const inTheWay = (...lines: string[]) => [
  { migration: CONTRACT, inTheWay: lines.map((line) => expect.stringContaining(line)) },
];

test('a contract migration waits for an older replica, names it, and is applied once the replica is gone', async () => {
  const url = await database();
  const older = replica('host-a');
  await migrate(url, { replica: older });
  const step = { directory: newer, replica: replica('host-b') };
  const { applied, waiting } = await migrate(url, step);
  expect(applied).toEqual([EXPAND]);
  expect(waiting).toEqual(
    inTheWay(
      `the replica ${older.id} on host-a (chatd 0.1.0, which knows migrations up to ${newest}), last seen`,
    ),
  );
  expect(await hasOldThings(url)).toEqual({ there: true });
  await execute(url, `DELETE FROM workers WHERE id = '${older.id}'`);
  expect(await migrate(url, step)).toEqual({ applied: [CONTRACT] });
  expect(await hasOldThings(url)).toEqual({ there: false });
});

test('a killed replica blocks a contract migration until its lease expires', async () => {
  const url = await database();
  await migrate(url, { replica: replica('host-a') });
  expect(await migrate(url, { directory: newer })).toMatchObject({ waiting: inTheWay('host-a') });
  await execute(url, `UPDATE workers SET heartbeat_at = now() - interval '1 s', lease_ms = 1`);
  expect(await migrate(url, { directory: newer })).toEqual({ applied: [CONTRACT] });
});

test('a worker without a registered version counts as an older one', async () => {
  const url = await database();
  const worker = randomUUID();
  await execute(url, `INSERT INTO workers (id, heartbeat_at) VALUES ('${worker}', now())`);
  const { waiting } = await migrate(url, { directory: newer });
  expect(waiting).toEqual(inTheWay(`the replica ${worker} of an earlier version`));
});

test('for some minutes after the migration that introduced registration, unregistered replicas may run', async () => {
  const url = await database();
  const applied = (when: string, which: string) =>
    execute(
      url,
      `UPDATE schema_migrations SET applied_at = now() - interval '${when}' WHERE ${which}`,
    );
  await applied('1 day', 'version < 12');
  // The test database is a copy of a template, which may be older than that.
  await applied('0 minutes', 'version = 12');
  const { waiting } = await migrate(url, { directory: newer });
  expect(waiting).toEqual(inTheWay('do not register'));
  await applied('11 minutes', 'version = 12');
  expect(await migrate(url, { directory: newer })).toEqual({ applied: [CONTRACT] });
});

test('nothing waits on an empty database, or for replicas that know the required migration', async () => {
  const url = await database();
  await execute(url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  const { applied, waiting } = await migrate(url, { directory: newer, replica: replica('host-a') });
  expect([applied.at(-1), waiting]).toEqual([CONTRACT, undefined]);
  const next = await migrationsWith('next', { ...NEWER, '9003_nothing': '-- contract: 9001\n' });
  expect(await migrate(url, { directory: next })).toEqual({ applied: ['9003_nothing'] });
});

test('an additive migration is applied while a contract migration waits', async () => {
  const url = await database();
  await migrate(url, { replica: replica('host-a') });
  const directory = await migrationsWith('later', {
    ...NEWER,
    '9003_later': 'CREATE TABLE new_things (id int);',
  });
  const { applied, waiting } = await migrate(url, { directory });
  expect([applied, waiting]).toEqual([[EXPAND, '9003_later'], inTheWay('host-a')]);
  await execute(url, 'DELETE FROM workers');
  expect(await migrate(url, { directory })).toEqual({ applied: [CONTRACT] });
});

test('an operator can skip the wait', async () => {
  const url = await database();
  await migrate(url, { replica: replica('host-a') });
  const { applied, waiting } = await migrate(url, { directory: newer, withoutWaiting: true });
  expect([applied, waiting]).toEqual([[EXPAND, CONTRACT], undefined]);
});

test('a version that requires a contract migration waits before it serves, and names the older replicas', async () => {
  const url = await database();
  await migrate(url, { replica: replica('host-a') });
  const directory = await migrationsWith('break', { '9001_break': '-- contract: 9001\n' });
  const { promise: said, resolve: onProgress } = Promise.withResolvers<string>();
  const migrated = migrate(url, { directory, onProgress });
  expect(await said).toMatch(/9001_break .* cannot run beside them.* on host-a .*Replace or stop/);
  await execute(url, 'DELETE FROM workers');
  expect(await migrated).toEqual({ applied: ['9001_break'] });
});

test('an abort ends the wait', async () => {
  const url = await database();
  await migrate(url, { replica: replica('host-a') });
  const directory = await migrationsWith('stopped', { '9001_break': '-- contract: 9001\n' });
  const stop = new AbortController();
  const onProgress = () => stop.abort();
  await expect(migrate(url, { directory, onProgress, signal: stop.signal })).rejects.toMatchObject({
    name: 'AbortError',
  });
});

test('if an older replica starts while a newer one migrates, one of them gives way', async () => {
  for (let round = 0; round < 3; round += 1) {
    const url = await database();
    await migrate(url, { directory: newer, replica: replica('nobody') }).then(() =>
      execute(url, `DELETE FROM workers; DELETE FROM schema_migrations WHERE version = 9002`),
    );
    await execute(url, 'CREATE TABLE old_things (id int)');
    const [older, last] = await Promise.allSettled([
      migrate(url, { replica: replica('host-a') }),
      migrate(url, { directory: newer, replica: replica('host-b') }),
    ]);
    expect(last.status).toBe('fulfilled');
    const { there } = (await hasOldThings(url)) as { there: boolean };
    expect(older.status).toBe(there ? 'fulfilled' : 'rejected');
  }
});

test('the doctor reports a waiting migration and the replicas that it waits for', async () => {
  const url = await database();
  await migrate(url, { replica: replica('host-a') });
  await migrate(url, { directory: newer });
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const findings = await schemaFindings('database', client, await readMigrations(newer), 30_000);
  expect(findings).toEqual([
    {
      check: 'database',
      level: 'warning',
      message: expect.stringMatching(`${CONTRACT} .* waits for the replica .* on host-a`),
      hint: expect.stringContaining('CHATD_MIGRATE_WITHOUT_WAITING=1'),
    },
  ]);
});

test('a server runs without a waiting migration, reports it, and applies it after the older replica stops', async () => {
  const url = await database();
  const older = await startServerOn(url);
  const server = await startServerOn(url, { leaseMs: 1000 }, { migrations: newer });
  expect(server.logged.join('')).toContain('a migration waits for older replicas');
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  const waiting = async () => {
    const metrics = await fetch(`${server.url}/metrics`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    return /^chatd_migrations_waiting (\d+)$/m.exec(await metrics.text())?.[1];
  };
  expect(await waiting()).toBe('1');
  await server.admin.ok('createChat', { body: { content: 'hello' } });
  await older.close();
  await vi.waitFor(async () => expect(await waiting()).toBe('0'), {
    timeout: 30_000,
    interval: 100,
  });
  expect(await hasOldThings(url)).toEqual({ there: false });
  expect(server.logged.join('')).toContain('applied the migrations that waited for older replicas');
  await server.admin.ok('createChat', { body: { content: 'hello again' } });
});

test('a server that is too old for the migrated schema logs the reason and exits', async () => {
  const url = await database();
  const { promise: ended, resolve: onFatal } = Promise.withResolvers<Error>();
  const older = await startServerOn(url, { leaseMs: 1000 }, { onFatal });
  await migrate(url, { directory: newer, withoutWaiting: true });
  expect(await ended).toMatchObject({ kind: 'newer_schema' });
  expect(older.logged.join('')).toContain(`it has the migration ${CONTRACT}`);
});
