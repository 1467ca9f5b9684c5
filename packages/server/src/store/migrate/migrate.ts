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
/** Beside this file in src and, copied by the build, in dist. */
const DIRECTORY = fileURLToPath(new URL('../migrations/', import.meta.url));
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
const STARTING_MS = 60_000;

/** `needs` as the newer program that applied it says; null: it did not say. */
type FoundMigration = AppliedMigration & { readonly needs?: number | null };

export interface Migrated {
  readonly applied: string[];
  /** Of a newer program, which says that this one works with them. */
  readonly newer?: readonly string[];
  /** They take something away, and older replicas that live still use it. This program works without them as well. */
  readonly waiting?: readonly WaitingMigration[];
}

/** Who it is that migrates, and then lives on what it has made. */
export interface Replica {
  readonly id: string;
  readonly program: string;
  readonly host: string;
}

export interface MigrateOptions {
  readonly directory?: string;
  /** Only these: as the schema was when a backup was made. */
  readonly only?: readonly number[];
  /** Registered by the transaction that finds nothing left to do, so that no migration slips in between. */
  readonly replica?: Replica;
  /** Not heard of for so long, a replica is gone: this one, and those that do not say. */
  readonly leaseMs?: number;
  /** What takes something away does not wait for older replicas: there are none, or somebody said so. */
  readonly withoutWaiting?: boolean;
  /** For the person in front of it: what takes so long. */
  readonly onProgress?: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Brings the schema up to this program's. Each file is one transaction, under a lock that lasts as long as it does
 * (so it holds behind a pooler, too), and decides on what it reads there: replicas that start together apply each
 * file once.
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

/** What this program knows. */
export const ownMigrations = (): Promise<Migration[]> => readMigrations(DIRECTORY);

/** How far it goes. */
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
  /** Undefined: nothing was left that can be done now. */
  readonly done: Migration | undefined;
  readonly newer: readonly string[];
  readonly waiting: readonly WaitingMigration[];
}

/** Waits for as long as others are in the middle of something, or are too old for what this program cannot go without. */
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
 * The first that can be applied now. What takes something away lets the others pass while older replicas live. One that
 * needs this very version does not: before it, no program was made for what it leaves behind, nor is ours for what was.
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

/** It has a minute to start before its lease, which may be short, begins to count. */
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
