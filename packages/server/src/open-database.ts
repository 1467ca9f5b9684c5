import { setTimeout as sleep } from 'node:timers/promises';
import type { StartOptions } from './app.ts';
import type { Config } from './config.ts';
import { startOwnPostgres } from './own-postgres.ts';
import { acquireOwnerLock, AlreadyRunning, type OwnerLock } from './postgres/index.ts';
import { requirePreparedStatements } from './prepared-statements.ts';
import { StartError } from './start-error.ts';
import {
  migrate,
  type Migrated,
  type MigrateOptions,
  type Replica,
} from './store/migrate/migrate.ts';
import { asUnavailable, DatabaseUnavailable } from './store/unavailable.ts';

type OpenOptions = Pick<
  StartOptions,
  'log' | 'onProgress' | 'onFatal' | 'signal' | 'databasePatienceMs' | 'migrations'
>;

interface OpenDatabase {
  readonly url: string;
  readonly lock: OwnerLock | undefined;
  readonly migrated: Migrated;
  /** How to apply later what could not be applied yet. */
  readonly migration: MigrateOptions;
}

/** Embedded or your own; migrated, and with the lock that makes us the only server of a data directory. */
export async function openDatabase(
  config: Config,
  options: OpenOptions,
  replica: Replica,
  atEnd: (step: () => Promise<void>) => void,
): Promise<OpenDatabase> {
  const migration = {
    leaseMs: config.leaseMs,
    ...(options.migrations !== undefined && { directory: options.migrations }),
  };
  const first = { ...migration, replica, withoutWaiting: config.migrateWithoutWaiting };
  if (config.databaseUrl !== undefined) {
    const url = config.databaseUrl;
    const migrated = await migrateWhenReachable(url, options, first);
    return { url, lock: undefined, migrated, migration };
  }
  const { log, onProgress = () => undefined, onFatal, signal } = options;
  const { dataDir } = config;
  const server = await startOwnPostgres({
    dataDir,
    onProgress,
    onError: (error) => log.error({ err: error }, 'PostgreSQL does not start'),
    signal,
  });
  const lock = await acquireOwnerLock({
    databaseUrl: server.url,
    dataDir,
    ...(onFatal && { onLost: onFatal }),
  }).catch(async (error: unknown) => {
    // The PostgreSQL that was found may belong to another server, which holds the lock.
    await (error instanceof AlreadyRunning ? server.leave() : server.stop());
    throw error;
  });
  // In this order: between a release and the stop another server could adopt a PostgreSQL that is about to go.
  atEnd(() => lock.release());
  atEnd(() => server.stop());
  // Whoever owns the data directory is alone.
  const migrated = await migrateAndSay(server.url, options, { ...first, withoutWaiting: true });
  return { url: server.url, lock, migrated, migration };
}

async function migrateAndSay(
  url: string,
  { log, onProgress, signal }: OpenOptions,
  migration: MigrateOptions,
): Promise<Migrated> {
  const migrated = await migrate(url, { ...migration, ...(onProgress && { onProgress }), signal });
  const { newer } = migrated;
  if (newer !== undefined) {
    log.warn({ newer }, 'a newer chatd has migrated this database; this one works with it');
  }
  return migrated;
}

const DATABASE_PATIENCE_MS = 60_000;
const RETRY_MS = 1000;

/** A database of its own may start together with us, and take longer. */
async function migrateWhenReachable(
  url: string,
  options: OpenOptions,
  migration: MigrateOptions,
): Promise<Migrated> {
  const { onProgress = () => undefined, signal } = options;
  const deadline = performance.now() + (options.databasePatienceMs ?? DATABASE_PATIENCE_MS);
  const where = addressOf(url);
  for (let tries = 0; ; tries += 1) {
    try {
      await requirePreparedStatements(url);
      return await migrateAndSay(url, options, migration);
    } catch (error) {
      if (error instanceof StartError) throw error;
      const why = error instanceof Error ? error.message : String(error);
      if (isRefused(error)) {
        throw new StartError(
          'database_unreachable',
          `The database at ${where} does not let chatd in: ${why}`,
          'Check the user, the password and the name of the database in CHATD_DATABASE_URL.',
          error,
        );
      }
      if (!(asUnavailable(error) instanceof DatabaseUnavailable)) throw error;
      if (performance.now() > deadline) {
        throw new StartError(
          'database_unreachable',
          `The database at ${where} cannot be reached: ${why}`,
          'Check that PostgreSQL runs there and CHATD_DATABASE_URL is right, or leave that empty for an embedded one.',
          error,
        );
      }
      if (tries % 5 === 0) onProgress(`Waiting for the database at ${where}: ${why}`);
      await sleep(RETRY_MS, undefined, signal && { signal });
    }
  }
}

/** A wrong user or password, a database that does not exist, or no right to it: waiting does not help. */
const isRefused = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(28|3D000|42501)/.test(String(error.code));

/** Without the user and the password. */
function addressOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
