import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import type { ClientBase } from 'pg';
import { ADVISORY_LOCKS } from '../postgres/advisory-locks.ts';

const OLDEST_POSTGRES = 14;
/** Beside this file in src and, copied by the build, in dist. */
const DIRECTORY = fileURLToPath(new URL('./migrations/', import.meta.url));
const FILE_NAME = /^(\d{4})_(\w+)\.sql$/;

export type MigrationErrorKind =
  | 'unsupported_postgres'
  | 'newer_schema'
  | 'changed_migration'
  | 'missing_migration'
  | 'migration_failed';

/** The database was left as it was found, or at the last migration that succeeded whole. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
  readonly kind: MigrationErrorKind;
  readonly hint: string;

  constructor(input: { kind: MigrationErrorKind; message: string; hint: string; cause?: unknown }) {
    super(input.message, input.cause === undefined ? undefined : { cause: input.cause });
    this.kind = input.kind;
    this.hint = input.hint;
  }
}

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly sql: string;
}

export type AppliedMigration = Pick<Migration, 'version' | 'name' | 'checksum'>;

/**
 * Brings the schema up to this program's. Each file is one transaction, under a lock that lasts as long as it does
 * (so it holds behind a pooler, too), and decides on what it reads there: replicas that start together apply each
 * file once.
 */
export async function migrate(
  database: string | ClientBase,
  options: {
    directory?: string;
    /** Only so far: as the schema was when a backup was made. */
    upTo?: number;
  } = {},
): Promise<{ applied: string[] }> {
  const all = await readMigrations(options.directory ?? DIRECTORY);
  const migrations = all.filter(({ version }) => version <= (options.upTo ?? Infinity));
  if (typeof database !== 'string') return applyAll(database, migrations);
  const client = new Client({ connectionString: database, application_name: 'chatd migrate' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await applyAll(client, migrations);
  } finally {
    await client.end();
  }
}

/** What this program knows. */
export const ownMigrations = (): Promise<Migration[]> => readMigrations(DIRECTORY);

export async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql'));
  const migrations = await Promise.all(names.map((name) => readMigration(directory, name)));
  migrations.sort((a, b) => a.version - b.version);
  const twin = migrations.find(({ version }, index) => migrations[index + 1]?.version === version);
  if (twin !== undefined) throw new Error(`Two migrations have the number ${twin.version}.`);
  return migrations;
}

async function readMigration(directory: string, fileName: string): Promise<Migration> {
  const [, digits, name] = FILE_NAME.exec(fileName) ?? [];
  if (digits === undefined || name === undefined) {
    throw new Error(`The migration ${fileName} is not named like 0001_first.sql.`);
  }
  // Line ends are git's business on some systems, and no change.
  const sql = (await readFile(join(directory, fileName), 'utf8')).replaceAll('\r\n', '\n');
  const checksum = createHash('sha256').update(sql).digest('hex');
  return { version: Number(digits), name, checksum, sql };
}

/** What is left to do, in order; refuses a history that is not a beginning of ours. */
export function pendingMigrations(
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): Migration[] {
  const newest = migrations.at(-1)?.version ?? 0;
  const ours = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const found of applied.toSorted((a, b) => b.version - a.version)) {
    if (found.version > newest) throw newerSchema(found, newest);
    const known = ours.get(found.version);
    if (known === undefined) throw missingMigration(found);
    if (known.checksum !== found.checksum) throw changedMigration(found);
  }
  const done = new Set(applied.map(({ version }) => version));
  return migrations.filter(({ version }) => !done.has(version));
}

async function applyAll(
  client: ClientBase,
  migrations: readonly Migration[],
): Promise<{ applied: string[] }> {
  await refuseOldPostgres(client);
  const applied: string[] = [];
  for (;;) {
    const done = await applyNext(client, migrations);
    if (done === undefined) return { applied };
    applied.push(labelOf(done));
  }
}

async function refuseOldPostgres(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ number: number; version: string }>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version`,
  );
  const server = rows[0];
  if (server === undefined || server.number >= OLDEST_POSTGRES * 10_000) return;
  throw new MigrationError({
    kind: 'unsupported_postgres',
    message: `The database server is PostgreSQL ${server.version}; chatd needs ${OLDEST_POSTGRES} or newer.`,
    hint: 'Upgrade PostgreSQL, point CHATD_DATABASE_URL at a newer one, or leave it empty for the embedded one.',
  });
}

async function applyNext(
  client: ClientBase,
  migrations: readonly Migration[],
): Promise<Migration | undefined> {
  await client.query('BEGIN');
  try {
    // The role's own limit may be far too short for a migration, or for waiting on another replica's.
    await client.query('SET LOCAL statement_timeout = 0');
    await client.query('SELECT pg_advisory_xact_lock($1::int, $2::int)', [
      ...ADVISORY_LOCKS.migration,
    ]);
    await client.query(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
         version int PRIMARY KEY,
         name text NOT NULL,
         checksum text NOT NULL,
         applied_at timestamptz NOT NULL DEFAULT now()
       )`,
    );
    const { rows } = await client.query<AppliedMigration>(
      'SELECT version, name, checksum FROM schema_migrations',
    );
    const next = pendingMigrations(migrations, rows)[0];
    if (next !== undefined) await apply(client, next);
    await client.query('COMMIT');
    return next;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function apply(client: ClientBase, migration: Migration): Promise<void> {
  try {
    await client.query(migration.sql);
  } catch (error) {
    throw new MigrationError({
      kind: 'migration_failed',
      message: `The migration ${labelOf(migration)} failed and was rolled back: ${String(error)}`,
      hint: 'Put right what the message names and start again; the earlier migrations stay applied.',
      cause: error,
    });
  }
  await client.query(
    'INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)',
    [migration.version, migration.name, migration.checksum],
  );
}

function labelOf({ version, name }: Pick<Migration, 'version' | 'name'>): string {
  return `${String(version).padStart(4, '0')}_${name}`;
}

function newerSchema(found: AppliedMigration, newest: number): MigrationError {
  return new MigrationError({
    kind: 'newer_schema',
    message:
      `This database was migrated by a newer chatd: it has the migration ${labelOf(found)}, ` +
      `and this program knows migrations up to ${String(newest).padStart(4, '0')}.`,
    hint: 'Upgrade this chatd to at least the version that migrated the database.',
  });
}

function missingMigration(found: AppliedMigration): MigrationError {
  return new MigrationError({
    kind: 'missing_migration',
    message: `This database has the migration ${labelOf(found)}, which this chatd does not know.`,
    hint: 'It was migrated by another line of chatd: use that one, or point CHATD_DATABASE_URL at another database.',
  });
}

function changedMigration(found: AppliedMigration): MigrationError {
  return new MigrationError({
    kind: 'changed_migration',
    message: `The file of the migration ${labelOf(found)} is not the one that was applied to this database.`,
    hint: 'Migrations never change once applied: restore the file, and put the change into a new migration.',
  });
}
