import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { VERSION } from '../version.ts';
import { borrowDatabase } from '../borrowed-database.ts';
import type { Config } from '../config.ts';
import type { AppliedMigration } from '../store/migrate/migration.ts';
import { ArchiveWriter } from './archive-writer.ts';
import { BackupError } from './backup-error.ts';
import { FORMAT_VERSION, type Closing, type Manifest } from './manifest.ts';
import { columnList, quoted, readSequences, readTables, type Table } from './tables.ts';
import { packWorkspaces } from './workspace-files.ts';

/** Rows are split into entries of about this size, because tar needs the length of an entry in advance. */
const ENTRY_BYTES = 4 * 1024 * 1024;

export interface BackupOptions {
  readonly target: Writable;
  readonly withWorkspaces: boolean;
  readonly withSecretKey: boolean;
  readonly now: Date;
  readonly onProgress: (line: string) => void;
}

export interface BackupReport {
  readonly rows: number;
  readonly chats: number;
  readonly files: number;
  /** Only for the owner: the backup contains user data and encrypted provider keys. */
  readonly needsSecretKey: boolean;
}

/** Backs up the whole database in one snapshot while the server runs, and optionally files. */
export async function makeBackup(config: Config, options: BackupOptions): Promise<BackupReport> {
  const borrowed = await borrowDatabase(config);
  const archive = new ArchiveWriter(options.target);
  try {
    const client = new Client({ connectionString: borrowed.url, application_name: 'chatd backup' });
    client.on('error', () => undefined);
    await client.connect();
    try {
      const report = await writeAll(client, archive, config, options);
      await archive.close();
      return report;
    } finally {
      await client.end();
    }
  } catch (error) {
    await archive.abort(error);
    throw error;
  } finally {
    await borrowed.release();
  }
}

async function writeAll(
  client: Client,
  archive: ArchiveWriter,
  config: Config,
  { now, withSecretKey, withWorkspaces, onProgress }: BackupOptions,
): Promise<BackupReport> {
  // One snapshot for all tables. It takes no locks that block others.
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await client.query('SET LOCAL statement_timeout = 0');
  const key = withSecretKey ? await readSecretKey(config) : undefined;
  const manifest = await readManifest(client, now, key !== undefined, withWorkspaces);
  await archive.json('manifest.json', manifest);
  const rows: Record<string, number> = {};
  for (const [index, table] of manifest.tables.entries()) {
    rows[table.name] = await copyTable(client, archive, table, index);
    if ((rows[table.name] ?? 0) > 0) onProgress(`${table.name}: ${rows[table.name]} rows`);
  }
  const sealed = await client.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM providers WHERE secrets IS NOT NULL) OR EXISTS (SELECT FROM user_keys)
         OR EXISTS (SELECT FROM mcp_servers WHERE secrets IS NOT NULL) AS found`,
  );
  const sequences = await readSequences(client);
  await client.query('COMMIT');
  if (key !== undefined) {
    await archive.add({ name: 'secret.key', size: key.length, mode: 0o600 }, key);
  }
  let files = 0;
  if (withWorkspaces) {
    const folder = join(config.dataDir, 'workspaces');
    files = await packWorkspaces(folder, archive, { onProblem: onProgress });
    onProgress(`workspaces: ${files} files and folders`);
  }
  await archive.json('end.json', { rows, sequences } satisfies Closing);
  return {
    rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
    chats: rows['chats'] ?? 0,
    files,
    needsSecretKey: sealed.rows[0]?.found === true && key === undefined,
  };
}

async function readManifest(
  client: Client,
  now: Date,
  secretKey: boolean,
  workspaces: boolean,
): Promise<Manifest> {
  const { rows: migrations } = await client
    .query<AppliedMigration>(
      'SELECT version, name, checksum FROM schema_migrations ORDER BY version',
    )
    .catch((error: unknown) => {
      throw new BackupError(
        'The database has no chatd tables.',
        'Check CHATD_DATABASE_URL, or start the server once.',
        error,
      );
    });
  const version = await client.query<{ server_version: string }>('SHOW server_version');
  return {
    format: 'chatd-backup',
    format_version: FORMAT_VERSION,
    created_at: now.toISOString(),
    chatd_version: VERSION,
    postgres_version: version.rows[0]?.server_version ?? '',
    schema_version: Math.max(...migrations.map((migration) => migration.version)),
    migrations: migrations.map(({ version, name, checksum }) => ({ version, name, checksum })),
    tables: (await readTables(client)).map(({ name, columns }) => ({
      name,
      columns: [...columns],
    })),
    secret_key: secretKey,
    workspaces,
  };
}

async function copyTable(
  client: Client,
  archive: ArchiveWriter,
  table: Table,
  index: number,
): Promise<number> {
  const stream = client.query(
    copyTo(`COPY ${quoted(table.name)} (${columnList(table)}) TO STDOUT`),
  );
  const folder = `tables/${String(index + 1).padStart(3, '0')}-${table.name}`;
  let entry = 0;
  let held: Buffer[] = [];
  let size = 0;
  const flush = async () => {
    if (size === 0) return;
    entry += 1;
    const name = `${folder}/${String(entry).padStart(6, '0')}.copy`;
    const body = Buffer.concat(held);
    held = [];
    size = 0;
    await archive.add({ name, size: body.length, mode: 0o600 }, body);
  };
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    held.push(chunk);
    size += chunk.length;
    if (size >= ENTRY_BYTES) await flush();
  }
  await flush();
  return stream.rowCount;
}

async function readSecretKey({ dataDir }: Config): Promise<Buffer | undefined> {
  return await readFile(join(dataDir, 'secret.key')).catch(() => undefined);
}
