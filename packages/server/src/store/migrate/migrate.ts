import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, type ClientBase } from 'pg';
import { ADVISORY_LOCKS } from '../../postgres/advisory-locks.ts';
import { registerReplica } from '../queries/workers.ts';
import { valuesOf } from '../statement.ts';
import {
  changedMigration,
  MigrationError,
  migrationFailed,
  missingMigration,
  newerSchema,
  othersAreBusy,
  othersAreOlder,
} from './migration-error.ts';
import { type AppliedMigration, labelOf, type Migration } from './migration.ts';
import { type WaitingMigration, whoIsInTheWay } from './older-replicas.ts';

const OLDEST_POSTGRES = 14;
/** Both in src and in dist, where the build copies it. */
const DIRECTORY = fileURLToPath(new URL('../migrations/', import.meta.url));
const FILE_NAME = /^(\d{4})_(\w+)\.sql$/;
/** Marks a migration that removes something older programs use, with the migration that programs must know. */
const CONTRACT = /^-- contract: (\d{4})$/m;
/**
 * A statement that waits for a table lock blocks all later ones. So a migration gives up soon, for example behind a
 * backup, and retries.
 */
const LOCK_TIMEOUT_MS = 1000;
const RETRY_MS = 500;
const LOCK_NOT_AVAILABLE = '55P03';
const STARTING_MS = 60_000;

/** `needs` as recorded by the newer program that applied it. Null: not recorded. */
type FoundMigration = AppliedMigration & { readonly needs?: number | null };

export interface Migrated {
  readonly applied: string[];
  /** Applied by a newer program, and compatible with this one. */
  readonly newer?: readonly string[];
  /** Postponed: they remove something that living older replicas use. This program works without them. */
  readonly waiting?: readonly WaitingMigration[];
}

/** The replica that migrates. */
export interface Replica {
  readonly id: string;
  readonly program: string;
  readonly host: string;
}

export interface MigrateOptions {
  readonly directory?: string;
  /** Only these, to restore the schema of a backup. */
  readonly only?: readonly number[];
  /** Registered in the transaction that finds no migration left, so that none can come in between. */
  readonly replica?: Replica;
  /** A replica without a heartbeat for this long is gone. */
  readonly leaseMs?: number;
  /** Applies removals without waiting for older replicas. */
  readonly withoutWaiting?: boolean;
  /** Progress messages for the console. */
  readonly onProgress?: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Migrates the schema to this program's version. Each file is one transaction under an advisory lock, which also works
 * behind a pooler, and decides based on what it reads there. So replicas that start together apply each file once.
 */
export async function migrate(
  database: string | ClientBase,
  options: MigrateOptions = {},
): Promise<Migrated> {
  const { only } = options;
  const all = await readMigrations(options.directory ?? DIRECTORY);
  const migrations = all.filter(({ version }) => only === undefined || only.includes(version));
  if (typeof database !== 'string') return applyAll(database, migrations, options);
  const client = new Client({ connectionString: database, application_name: 'chatd migrate' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await applyAll(client, migrations, options);
  } finally {
    await client.end();
  }
}

/** The migrations of this program. */
export const ownMigrations = (): Promise<Migration[]> => readMigrations(DIRECTORY);

export async function newestMigration(directory: string = DIRECTORY): Promise<number> {
  return (await readMigrations(directory)).at(-1)?.version ?? 0;
}

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
    throw new Error(`The migration ${fileName} must be named like 0001_first.sql.`);
  }
  // Git may convert line ends.
  const sql = (await readFile(join(directory, fileName), 'utf8')).replaceAll('\r\n', '\n');
  const checksum = createHash('sha256').update(sql).digest('hex');
  const needs = Number(CONTRACT.exec(sql)?.[1] ?? 0);
  return { version: Number(digits), name, checksum, sql, needs };
}

/**
 * The migrations to apply, in order. Refuses a history that is not a prefix of ours, unless it continues with
 * migrations that a newer program marks as compatible.
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
  options: MigrateOptions,
): Promise<Migrated> {
  await refuseOldPostgres(client);
  const applied: string[] = [];
  for (;;) {
    const { done, newer, waiting } = await applyNext(client, migrations, options);
    if (done === undefined) {
      return {
        applied,
        ...(newer.length > 0 && { newer }),
        ...(waiting.length > 0 && { waiting }),
      };
    }
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
    hint: 'Upgrade PostgreSQL, set CHATD_DATABASE_URL to a newer server, or unset it to use embedded PostgreSQL.',
  });
}

/** The migrations that were applied to a database. */
export async function appliedMigrations(client: ClientBase): Promise<FoundMigration[]> {
  // As JSON, since older tables have no column `needs`.
  const { rows } = await client.query<FoundMigration>(
    `SELECT version, name, checksum, (to_jsonb(m) ->> 'needs')::int AS needs FROM schema_migrations m`,
  );
  return rows;
}

interface Turn {
  /** Undefined: nothing can be applied now. */
  readonly done: Migration | undefined;
  readonly newer: readonly string[];
  readonly waiting: readonly WaitingMigration[];
}

/** Waits while transactions of others block it, or older replicas block a migration that this program requires. */
async function applyNext(
  client: ClientBase,
  migrations: readonly Migration[],
  options: MigrateOptions,
): Promise<Turn> {
  const { onProgress = () => undefined, signal } = options;
  for (let tries = 0; ; tries += 1) {
    try {
      return await tryNext(client, migrations, options);
    } catch (error) {
      if (!(error instanceof MigrationError) || !passesByItself(error)) throw error;
      if (tries % 20 === 0) onProgress(error.message);
      await sleep(RETRY_MS, undefined, signal && { signal });
    }
  }
}

const passesByItself = ({ kind, cause }: MigrationError): boolean =>
  kind === 'older_replicas' || isLocked(cause);

async function tryNext(
  client: ClientBase,
  migrations: readonly Migration[],
  options: MigrateOptions,
): Promise<Turn> {
  await client.query('BEGIN');
  try {
    // The limits of the role may be too short for a migration, or for waiting on another replica.
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
    const { next, waiting } = await choose(client, pendingMigrations(migrations, rows), options);
    const newest = migrations.at(-1)?.version ?? 0;
    if (next !== undefined) await apply(client, next);
    else await register(client, options, newest);
    await client.query('COMMIT');
    const newer = rows.filter(({ version }) => version > newest);
    return { done: next, newer: newer.map(labelOf), waiting };
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/**
 * The first migration that can be applied now. Removals are skipped while older replicas live, unless this program
 * requires them.
 */
async function choose(
  client: ClientBase,
  pending: readonly Migration[],
  { withoutWaiting = false, leaseMs = 0 }: MigrateOptions,
): Promise<{ next: Migration | undefined; waiting: WaitingMigration[] }> {
  const waiting: WaitingMigration[] = [];
  for (const next of pending) {
    if (next.needs === 0 || withoutWaiting) return { next, waiting };
    const blocked = await whoIsInTheWay(client, next, leaseMs);
    if (blocked === undefined) return { next, waiting };
    if (next.needs === next.version) throw othersAreOlder(blocked);
    waiting.push(blocked);
  }
  return { next: undefined, waiting };
}

/** Gives the replica at least a minute to start before its lease counts. */
async function register(
  client: ClientBase,
  { replica, leaseMs = 0 }: MigrateOptions,
  knows: number,
): Promise<void> {
  if (replica === undefined) return;
  const { id, program, host } = replica;
  const lease = Math.max(leaseMs, STARTING_MS);
  const row = { id, knows, program, host, lease_ms: lease };
  await client.query(registerReplica.text, valuesOf(registerReplica, row));
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
