import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { migrate } from '../../src/store/migrate/migrate.ts';
import { MigrationError } from '../../src/store/migrate/migration-error.ts';
import { createDatabase, execute } from '@chatd/test-server/database';
import { type ExternalPostgres, startExternalPostgres } from '@chatd/test-server/programs';

const ACCOUNTS = 'CREATE TABLE accounts (id int PRIMARY KEY); INSERT INTO accounts VALUES (1);';
const ORDERS = 'CREATE TABLE orders (id int PRIMARY KEY, account int REFERENCES accounts);';
const FAILS_WITH_A_LIMIT = `DO $$ BEGIN
  ASSERT current_setting('statement_timeout') = '0';
END $$`;

let external: ExternalPostgres | undefined;
beforeAll(async () => {
  external = await startExternalPostgres({ settings: { fsync: 'off' } });
});
afterAll(() => external?.stop());

const servers = {
  "the run's PostgreSQL": () => inject('postgresUrl'),
  "the system's PostgreSQL": () => {
    if (external === undefined) throw new Error("the system's PostgreSQL did not start");
    return external.url;
  },
};

describe.each(Object.entries(servers))('on %s', (_name, serverUrl) => {
  test('the migrations of chatd apply once, and a second run applies nothing', async () => {
    const url = await emptyDatabase();
    const { applied } = await migrate(url);
    expect(applied[0]).toMatch(/^0001_/);
    expect(await migrate(url)).toEqual({ applied: [] });
  });

  test('several replicas that start together apply each migration once', async () => {
    const url = await emptyDatabase();
    const directory = await directoryWith({
      '0001_accounts.sql': ACCOUNTS,
      '0002_orders.sql': ORDERS,
    });
    const results = await Promise.all(Array.from({ length: 8 }, () => migrate(url, { directory })));
    expect(results.flatMap(({ applied }) => applied).sort()).toEqual([
      '0001_accounts',
      '0002_orders',
    ]);
    expect(await execute(url, 'SELECT id FROM accounts')).toEqual([{ id: 1 }]);
  });

  test('a failed migration is rolled back, and the earlier ones stay', async () => {
    const url = await emptyDatabase();
    const directory = await directoryWith({
      '0001_accounts.sql': ACCOUNTS,
      '0002_broken.sql': 'CREATE TABLE half (id int); SELECT 1 / 0;',
    });
    await expect(migrate(url, { directory })).rejects.toMatchObject({
      kind: 'migration_failed',
      message: expect.stringMatching(/0002_broken.*division by zero/),
    });
    expect(await execute(url, `SELECT to_regclass('half') AS half`)).toEqual([{ half: null }]);
    expect(await execute(url, 'SELECT name FROM schema_migrations')).toEqual([
      { name: 'accounts' },
    ]);

    await writeFile(join(directory, '0002_broken.sql'), 'CREATE TABLE whole (id int);');
    expect(await migrate(url, { directory })).toEqual({ applied: ['0002_broken'] });
  });

  test('a database with an incompatible migration of a newer chatd is refused and not changed', async () => {
    const url = await emptyDatabase();
    const newer = await directoryWith({
      '0001_accounts.sql': ACCOUNTS,
      '0002_orders.sql': ORDERS,
      '0003_less.sql': '-- contract: 0002\nDROP TABLE orders;',
    });
    await migrate(url, { directory: newer });
    const older = await directoryWith({ '0001_accounts.sql': ACCOUNTS });
    const refused = migrate(url, { directory: older });
    await expect(refused).rejects.toThrow(MigrationError);
    await expect(refused).rejects.toMatchObject({
      kind: 'newer_schema',
      message:
        'This database was migrated by a newer chatd: it has the migration 0003_less, ' +
        'and this program knows migrations up to 0001.',
    });
    expect(await execute(url, 'SELECT count(*)::int FROM schema_migrations')).toEqual([
      { count: 3 },
    ]);
  });

  test('a database with a compatible migration of a newer chatd is accepted as it is', async () => {
    const url = await emptyDatabase();
    const newer = await directoryWith({
      '0001_accounts.sql': ACCOUNTS,
      '0002_orders.sql': ORDERS,
      '0003_less.sql': '-- contract: 0002\nDROP TABLE orders;',
    });
    await migrate(url, { directory: newer });
    const older = await directoryWith({ '0001_accounts.sql': ACCOUNTS, '0002_orders.sql': ORDERS });
    expect(await migrate(url, { directory: older })).toEqual({
      applied: [],
      newer: ['0003_less'],
    });
  });

  test('a schema_migrations table of an earlier version is understood', async () => {
    const url = await emptyDatabase();
    const directory = await directoryWith({ '0001_accounts.sql': ACCOUNTS });
    await migrate(url, { directory });
    await execute(url, 'ALTER TABLE schema_migrations DROP COLUMN needs');
    expect(await migrate(url, { directory })).toEqual({ applied: [] });
    await writeFile(join(directory, '0002_orders.sql'), ORDERS);
    expect(await migrate(url, { directory })).toEqual({ applied: ['0002_orders'] });
    expect(await execute(url, 'SELECT version, needs FROM schema_migrations ORDER BY 1')).toEqual([
      { version: 1, needs: null },
      { version: 2, needs: 0 },
    ]);
  });

  test('a migration that waits for a long transaction does not block other queries', async () => {
    const url = await emptyDatabase();
    const directory = await directoryWith({ '0001_accounts.sql': ACCOUNTS });
    await migrate(url, { directory });
    const reader = await connect(url);
    await reader.query('BEGIN; SELECT FROM accounts');
    await writeFile(join(directory, '0002_more.sql'), 'ALTER TABLE accounts ADD COLUMN note text;');
    const { promise: waits, resolve: onProgress } = Promise.withResolvers<string>();
    const migrated = migrate(url, { directory, onProgress });
    expect(await waits).toContain('0002_more waits for another transaction');
    await execute(url, 'INSERT INTO accounts VALUES (2)');
    await reader.query('COMMIT');
    expect(await migrated).toEqual({ applied: ['0002_more'] });
  });

  test('a migration that was changed after it was applied is refused', async () => {
    const url = await emptyDatabase();
    const directory = await directoryWith({ '0001_accounts.sql': ACCOUNTS });
    await migrate(url, { directory });
    await writeFile(join(directory, '0001_accounts.sql'), `${ACCOUNTS} -- harmless, they said`);
    await expect(migrate(url, { directory })).rejects.toMatchObject({ kind: 'changed_migration' });
  });

  test('a configured statement timeout does not apply to migrations', async () => {
    const url = await emptyDatabase();
    const client = await connect(url);
    await client.query(`SET statement_timeout = '1h'`);
    const directory = await directoryWith({ '0001_slow.sql': FAILS_WITH_A_LIMIT });
    expect(await migrate(client, { directory })).toEqual({ applied: ['0001_slow'] });
  });

  async function emptyDatabase(): Promise<string> {
    const database = await createDatabase(serverUrl());
    onTestFinished(() => database.drop());
    return database.url;
  }
});

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function directoryWith(files: Record<string, string>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'chatd-migrations-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await Promise.all(
    Object.entries(files).map(([name, text]) => writeFile(join(directory, name), text)),
  );
  return directory;
}
