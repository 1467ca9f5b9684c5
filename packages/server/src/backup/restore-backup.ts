import { once } from 'node:events';
import { chmod, lstat, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ParsedTarEntry } from 'modern-tar';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { hasDatabase, startOwn } from '../borrowed-database.ts';
import type { Config } from '../config.ts';
import { migrate, ownMigrations } from '../store/migrate/migrate.ts';
import { explainDamage, readArchive, readText } from './archive-reader.ts';
import { BackupError } from './backup-error.ts';
import { deferChecks, forgetReplicas, requestIndexing, restoreChecks } from './bulk-load.ts';
import { checkMigrations, Closing, type Manifest, parseManifest } from './manifest.ts';
import { columnList, quoted, type Table } from './tables.ts';
import { unpackOne } from './workspace-files.ts';

export interface RestoreOptions {
  readonly source: Readable;
  readonly onProgress: (line: string) => void;
}

export interface RestoreReport {
  readonly manifest: Manifest;
  readonly rows: number;
  readonly chats: number;
  readonly files: number;
}

/**
 * Restores a backup into a data directory without a database, or into an external database without tables. All rows are
 * restored in one transaction.
 */
export async function restoreBackup(
  config: Config,
  options: RestoreOptions,
): Promise<RestoreReport> {
  try {
    return await restore(config, options);
  } catch (error) {
    throw explainDamage(error);
  }
}

async function restore(
  config: Config,
  { source, onProgress }: RestoreOptions,
): Promise<RestoreReport> {
  const { databaseUrl, dataDir } = config;
  const entries = readArchive(source);
  // Checked before anything is created, so that an invalid file leaves nothing behind.
  const manifest = parseManifest(await firstText(entries));
  checkMigrations(manifest, await ownMigrations());
  if (databaseUrl === undefined && (await hasDatabase(dataDir))) {
    throw new BackupError(
      `The data directory ${dataDir} already has a database.`,
      'Choose another directory with --data-dir, or move this one away first.',
    );
  }
  await refuseTaken(dataDir, manifest);
  const server = databaseUrl === undefined ? await startOwn(dataDir, onProgress) : undefined;
  let done = false;
  try {
    const url = server?.url ?? databaseUrl ?? '';
    const report = await load(url, manifest, entries, config, onProgress);
    done = true;
    return report;
  } finally {
    await server?.release();
    if (!done) await removeLoaded(config, manifest);
  }
}

async function removeLoaded({ dataDir, databaseUrl }: Config, manifest: Manifest): Promise<void> {
  const names = [...(databaseUrl === undefined ? ['database'] : []), ...broughtBy(manifest)];
  for (const name of names) await rm(join(dataDir, name), { recursive: true, force: true });
}

const broughtBy = ({ workspaces, secret_key }: Manifest) => [
  ...(workspaces ? ['workspaces'] : []),
  ...(secret_key ? ['secret.key'] : []),
];

/** Files besides the database that would be overwritten. */
async function refuseTaken(dataDir: string, manifest: Manifest): Promise<void> {
  for (const name of broughtBy(manifest)) {
    const path = join(dataDir, name);
    if ((await lstat(path).catch(() => undefined)) === undefined) continue;
    throw new BackupError(
      `${path} already exists, and the backup contains its own.`,
      'Move it away first, or choose another data directory with --data-dir.',
    );
  }
}

async function firstText(entries: AsyncGenerator<ParsedTarEntry>): Promise<string> {
  const first = await entries.next();
  if (first.done === true || first.value.header.name !== 'manifest.json') {
    throw new BackupError('The file is not a chatd backup.', 'Check the file name.');
  }
  return await readText(first.value);
}

async function load(
  url: string,
  manifest: Manifest,
  entries: AsyncGenerator<ParsedTarEntry>,
  config: Config,
  onProgress: (line: string) => void,
): Promise<RestoreReport> {
  const client = new Client({ connectionString: url, application_name: 'chatd restore' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await refuseTables(client);
    const before = await ownFunctions(client);
    await migrate(client, { only: manifest.migrations.map(({ version }) => version) });
    try {
      return await loadRows(client, manifest, entries, config, onProgress);
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      // Removes the tables again, so that the database is as it was before.
      if (config.databaseUrl !== undefined) await dropAll(client, before).catch(() => undefined);
      throw error;
    }
  } finally {
    await client.end();
  }
}

async function refuseTables(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') LIMIT 5`,
  );
  if (rows.length === 0) return;
  throw new BackupError(
    `The database is not empty. It has ${rows.map(({ name }) => name).join(', ')}.`,
    'Restore into an empty database: run CREATE DATABASE, and set CHATD_DATABASE_URL to it.',
  );
}

async function ownFunctions(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT oid::regprocedure::text AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace`,
  );
  return rows.map(({ name }) => name);
}

async function dropAll(client: Client, before: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
  );
  const names = rows.map(({ name }) => quoted(name)).join(', ');
  if (names !== '') await client.query(`DROP TABLE ${names} CASCADE`);
  for (const name of await ownFunctions(client)) {
    if (!before.includes(name)) await client.query(`DROP FUNCTION ${name} CASCADE`);
  }
}

async function loadRows(
  client: Client,
  manifest: Manifest,
  entries: AsyncGenerator<ParsedTarEntry>,
  { dataDir }: Config,
  onProgress: (line: string) => void,
): Promise<RestoreReport> {
  const tables = new Map(manifest.tables.map((table) => [table.name, table]));
  const loaded = new Map<string, number>();
  let files = 0;
  let closing: Closing | undefined;
  let copying: TableCopy | undefined;
  const endCopy = async () => {
    if (copying === undefined) return;
    const rows = await copying.end();
    loaded.set(copying.table.name, rows);
    onProgress(`${copying.table.name}: ${rows} rows`);
    copying = undefined;
  };
  await client.query('BEGIN');
  await client.query('SET LOCAL statement_timeout = 0');
  const deferred = await deferChecks(client);
  // Migrations insert default rows. The backup has its own. COPY can freeze rows because the table was truncated.
  for (const { name } of manifest.tables) await client.query(`TRUNCATE ${quoted(name)}`);
  for await (const entry of entries) {
    const { name } = entry.header;
    const [, tableName] = /^tables\/\d+-(\w+)\//.exec(name) ?? [];
    if (copying?.table.name !== tableName) await endCopy();
    if (tableName !== undefined) {
      const table = tables.get(tableName);
      if (table === undefined) throw incomplete(`it has rows of an unknown table: ${tableName}`);
      copying ??= new TableCopy(client, table);
      await copying.write(entry);
    } else if (name === 'secret.key') {
      await mkdir(dataDir, { recursive: true });
      const path = join(dataDir, 'secret.key');
      await writeFile(path, await readText(entry), { mode: 0o600, flag: 'wx' });
      await chmod(path, 0o600);
    } else if (name.startsWith('workspaces/')) {
      await unpackOne(entry, join(dataDir, 'workspaces'));
      files += 1;
    } else if (name === 'end.json') {
      closing = Closing.parse(JSON.parse(await readText(entry)));
    }
  }
  await endCopy();
  if (closing === undefined) throw incomplete('its end is missing');
  for (const [name, count] of Object.entries(closing.rows)) {
    if ((loaded.get(name) ?? 0) !== count) throw incomplete(`rows of ${name} are missing`);
  }
  for (const [name, last] of Object.entries(closing.sequences)) {
    await client.query('SELECT setval($1::regclass, $2)', [quoted(name), last]);
  }
  onProgress('indexes and constraints');
  await restoreChecks(client, deferred);
  await requestIndexing(client);
  await forgetReplicas(client);
  await client.query('COMMIT');
  const rows = [...loaded.values()].reduce((sum, count) => sum + count, 0);
  return { manifest, rows, chats: loaded.get('chats') ?? 0, files };
}

/** Unpacked while PostgreSQL is busy. */
const AHEAD_BYTES = 8 * 1024 * 1024;

class TableCopy {
  readonly table: Table;
  readonly #stream: ReturnType<typeof copyFrom>;
  readonly #ended: Promise<void>;

  constructor(client: Client, table: Table) {
    this.table = table;
    this.#stream = client.query(
      copyFrom(`COPY ${quoted(table.name)} (${columnList(table)}) FROM STDIN WITH (FREEZE)`, {
        highWaterMark: AHEAD_BYTES,
      }),
    );
    this.#ended = finished(this.#stream);
    // Reported by the next write or by the end.
    this.#ended.catch(() => undefined);
  }

  async write({ body }: ParsedTarEntry): Promise<void> {
    for await (const chunk of body) {
      if (this.#stream.errored !== null) throw this.#stream.errored;
      if (this.#stream.write(chunk)) continue;
      await Promise.race([once(this.#stream, 'drain'), this.#ended]);
    }
  }

  async end(): Promise<number> {
    this.#stream.end();
    await this.#ended;
    return this.#stream.rowCount;
  }
}

const incomplete = (why: string) =>
  new BackupError(
    `The backup is incomplete: ${why}.`,
    'Copy the file again, or use another backup. Nothing was restored.',
  );
