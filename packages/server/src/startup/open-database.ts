import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config.ts';
import type { CloseStack } from './close-stack.ts';
import { startOwnPostgres } from './own-postgres.ts';
import { acquireOwnerLock, AlreadyRunning, type OwnerLock } from '../postgres/index.ts';
import { requirePreparedStatements } from './prepared-statements.ts';
import type { StartOptions } from './start-options.ts';
import { StartError } from '../start-error.ts';
import {
  migrate,
  type Migrated,
  type MigrateOptions,
  type Replica,
} from '../store/migrate/migrate.ts';
import { asUnavailable, DatabaseUnavailable } from '../store/unavailable.ts';

type OpenOptions = Pick<
  StartOptions,
  'log' | 'onProgress' | 'onFatal' | 'signal' | 'databasePatienceMs' | 'migrations' | 'group'
>;

export interface EmbeddedOptions extends Pick<OpenOptions, 'onProgress' | 'onFatal' | 'signal'> {
  readonly onError: (error: unknown) => void;
}

interface OpenDatabase {
  readonly url: string;
  readonly lock: OwnerLock | undefined;
  readonly migrated: Migrated;
  /** For migrations that could not be applied yet. */
  readonly migration: MigrateOptions;
}

/** Opens and migrates the embedded or external database. The embedded one comes with the lock of its data directory. */
export async function openDatabase(
  config: Config,
  options: OpenOptions,
  replica: Replica,
  stack: Pick<CloseStack, 'add'>,
): Promise<OpenDatabase> {
  const migration = {
    leaseMs: config.leaseMs,
    ...(options.migrations !== undefined && { directory: options.migrations }),
  };
  const first = { ...migration, replica, withoutWaiting: config.migrateWithoutWaiting };
  const url = config.databaseUrl ?? options.group?.settings.databaseUrl;
  if (url !== undefined) {
    const migrated = await migrateWhenReachable(url, options, first);
    return { url, lock: undefined, migrated, migration };
  }
  const onError = (error: unknown) =>
    options.log.error({ err: error }, 'PostgreSQL failed to start');
  const own = await openEmbeddedDatabase(config.dataDir, { ...options, onError }, stack);
  // The owner of the data directory is the only replica.
  const migrated = await migrateAndLog(own.url, options, { ...first, withoutWaiting: true });
  return { ...own, migrated, migration };
}

/** Starts the embedded PostgreSQL and takes the lock of its data directory. */
export async function openEmbeddedDatabase(
  dataDir: string,
  { onProgress = () => undefined, onError, onFatal, signal }: EmbeddedOptions,
  stack: Pick<CloseStack, 'add'>,
): Promise<Pick<OpenDatabase, 'url'> & { readonly lock: OwnerLock }> {
  const server = await startOwnPostgres({
    dataDir,
    onProgress,
    onError,
    signal,
  });
  const lock = await acquireOwnerLock({
    databaseUrl: server.url,
    dataDir,
    ...(onFatal && { onLost: onFatal }),
  }).catch(async (error: unknown) => {
    // The running PostgreSQL may belong to the server that holds the lock.
    await (error instanceof AlreadyRunning ? server.leave() : server.stop());
    throw error;
  });
  // The stop comes before the release: otherwise another server could adopt a PostgreSQL that is about to stop.
  stack.add(() => lock.release());
  stack.add(() => server.stop());
  return { url: server.url, lock };
}

async function migrateAndLog(
  url: string,
  { log, onProgress, signal }: OpenOptions,
  migration: MigrateOptions,
): Promise<Migrated> {
  const migrated = await migrate(url, { ...migration, ...(onProgress && { onProgress }), signal });
  const { newer } = migrated;
  if (newer !== undefined) {
    log.warn({ newer }, 'a newer chatd has migrated this database; this version can still use it');
  }
  return migrated;
}

const DATABASE_PATIENCE_MS = 60_000;
const RETRY_MS = 1000;

/** Retries while the database is unreachable: it may start together with this server and take longer. */
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
      return await migrateAndLog(url, options, migration);
    } catch (error) {
      if (error instanceof StartError) throw error;
      const why = error instanceof Error ? error.message : String(error);
      if (isAuthenticationError(error)) {
        throw new StartError(
          'database_unreachable',
          `Authentication to the database at ${where} failed: ${why}`,
          'Check the user, password and database name in CHATD_DATABASE_URL.',
          error,
        );
      }
      if (!(asUnavailable(error) instanceof DatabaseUnavailable)) throw error;
      if (performance.now() > deadline) {
        throw new StartError(
          'database_unreachable',
          `The database at ${where} cannot be reached: ${why}`,
          'Check that PostgreSQL is running there and that CHATD_DATABASE_URL is correct. Leave it empty to use the embedded PostgreSQL.',
          error,
        );
      }
      if (tries % 5 === 0) onProgress(`Waiting for the database at ${where}: ${why}`);
      await sleep(RETRY_MS, undefined, signal && { signal });
    }
  }
}

/** A wrong user or password, a missing database, or missing privileges: retrying does not help. */
const isAuthenticationError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(28|3D000|42501)/.test(String(error.code));

/** Without user and password. */
function addressOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
