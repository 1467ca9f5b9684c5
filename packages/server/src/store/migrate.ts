import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import type { ClientBase } from 'pg';
import { ADVISORY_LOCKS } from '../postgres/advisory-locks.ts';

const OLDEST_POSTGRES = 14;
/** Beside this file in src and, copied by the build, in dist. */
const DIRECTORY = fileURLToPath(new URL('./migrations/', import.meta.url));
const FILE_NAME = /^(\d{4})_(\w+)\.sql$/;
/** A line of a migration that takes away what older programs use: they must know at least the one that it names. */
const CONTRACT = /^-- contract: (\d{4})$/m;
/**
 * Whoever waits for a table keeps everybody waiting who comes later: behind a long transaction, such as a backup, a migration
 * lets the others pass and tries again.
 */
const LOCK_TIMEOUT_MS = 1000;
const RETRY_MS = 500;
const LOCK_NOT_AVAILABLE = '55P03';

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
  /** Programs that know migrations up to this one work on what it leaves behind; 0: all that worked before it. */
  readonly needs: number;
}

export type AppliedMigration = Pick<Migration, 'version' | 'name' | 'checksum'>;

/** `needs` as the newer program that applied it says; null: it did not say. */
type FoundMigration = AppliedMigration & { readonly needs?: number | null };

export interface Migrated {
  readonly applied: string[];
  /** Of a newer program, which says that this one works with them. */
  readonly newer?: readonly string[];
}

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
    /** For the person in front of it: what takes so long. */
    onProgress?: (line: string) => void;
  } = {},
): Promise<Migrated> {
  const all = await readMigrations(options.directory ?? DIRECTORY);
  const migrations = all.filter(({ version }) => version <= (options.upTo ?? Infinity));
  const { onProgress = () => undefined } = options;
  if (typeof database !== 'string') return applyAll(database, migrations, onProgress);
  const client = new Client({ connectionString: database, application_name: 'chatd migrate' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await applyAll(client, migrations, onProgress);
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
  const needs = Number(CONTRACT.exec(sql)?.[1] ?? 0);
  return { version: Number(digits), name, checksum, sql, needs };
}

/**
 * What is left to do, in order. Refuses a history that is not a beginning of ours, unless it goes on with migrations of
 * which a newer program says that we work with them.
 */
export function pendingMigrations(
  migrations: readonly Migration[],
  applied: readonly FoundMigration[],
): Migration[] {
  const newest = migrations.at(-1)?.version ?? 0;
  const ours = new Map(migrations.map((migration) => [migration.version, migration]));
  for (const found of applied.toSorted((a, b) => b.version - a.version)) {
    if (found.version > newest) {
      if ((found.needs ?? Infinity) > newest) throw newerSchema(found, newest);
      continue;
    }
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
  onProgress: (line: string) => void,
): Promise<Migrated> {
  await refuseOldPostgres(client);
  const applied: string[] = [];
  for (;;) {
    const { done, newer } = await applyNext(client, migrations, onProgress);
    if (done === undefined) return { applied, ...(newer.length > 0 && { newer }) };
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

/** What a database has been through. */
export async function appliedMigrations(client: ClientBase): Promise<FoundMigration[]> {
  // As JSON: the table of an earlier program has no column `needs`, and gets it with its next migration.
  const { rows } = await client.query<FoundMigration>(
    `SELECT version, name, checksum, (to_jsonb(m) ->> 'needs')::int AS needs FROM schema_migrations m`,
  );
  return rows;
}

interface Turn {
  /** Undefined: nothing was left to do. */
  readonly done: Migration | undefined;
  readonly newer: readonly string[];
}

/** Waits for as long as others are in the middle of something. */
async function applyNext(
  client: ClientBase,
  migrations: readonly Migration[],
  onProgress: (line: string) => void,
): Promise<Turn> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await tryNext(client, migrations);
    } catch (error) {
      if (!(error instanceof MigrationError) || !isLocked(error.cause)) throw error;
      if (tries % 20 === 0) onProgress(`${error.message}; trying again until they are done`);
      await sleep(RETRY_MS);
    }
  }
}

async function tryNext(client: ClientBase, migrations: readonly Migration[]): Promise<Turn> {
  await client.query('BEGIN');
  try {
    // The role's own limit may be far too short for a migration, or for waiting on another replica's.
    await client.query('SET LOCAL statement_timeout = 0');
    await client.query('SET LOCAL lock_timeout = 0');
    await client.query('SELECT pg_advisory_xact_lock($1::int, $2::int)', [
      ...ADVISORY_LOCKS.migration,
    ]);
    await client.query(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
         version int PRIMARY KEY,
         name text NOT NULL,
         checksum text NOT NULL,
         applied_at timestamptz NOT NULL DEFAULT now(),
         needs int
       )`,
    );
    const rows = await appliedMigrations(client);
    const next = pendingMigrations(migrations, rows)[0];
    if (next !== undefined) await apply(client, next);
    await client.query('COMMIT');
    const newest = migrations.at(-1)?.version ?? 0;
    const newer = rows.filter(({ version }) => version > newest);
    return { done: next, newer: newer.map(labelOf) };
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function apply(client: ClientBase, migration: Migration): Promise<void> {
  try {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query('ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS needs int');
    await client.query(migration.sql);
  } catch (error) {
    throw isLocked(error) ? othersAreBusy(migration, error) : migrationFailed(migration, error);
  }
  await client.query(
    'INSERT INTO schema_migrations (version, name, checksum, needs) VALUES ($1, $2, $3, $4)',
    [migration.version, migration.name, migration.checksum, migration.needs],
  );
}

const isLocked = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE;

function othersAreBusy(migration: Migration, cause: unknown): MigrationError {
  return new MigrationError({
    kind: 'migration_failed',
    message: `The migration ${labelOf(migration)} waits for a transaction of others, such as a backup`,
    hint: 'It goes on by itself when they are done.',
    cause,
  });
}

function migrationFailed(migration: Migration, cause: unknown): MigrationError {
  return new MigrationError({
    kind: 'migration_failed',
    message: `The migration ${labelOf(migration)} failed and was rolled back: ${String(cause)}`,
    hint: 'Put right what the message names and start again; the earlier migrations stay applied.',
    cause,
  });
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
    hint: 'Upgrade this chatd to at least the version that migrated the database, or restore the backup from before it.',
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
