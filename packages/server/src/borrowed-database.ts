import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { acquireOwnerLock, AlreadyRunning, startEmbeddedPostgres } from './postgres/index.ts';
import { StartError } from './start-error.ts';

export interface BorrowedDatabase {
  readonly url: string;
  /** A server may be using it at this moment. */
  readonly inUse: boolean;
  /** As it was found: a PostgreSQL that ran goes on, one that was started for this is stopped. */
  release(): Promise<void>;
}

/** The database of a server, for somebody else than the server: next to one that runs, or without. */
export async function borrowDatabase({
  databaseUrl,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<BorrowedDatabase> {
  if (databaseUrl !== undefined) {
    return { url: databaseUrl, inUse: true, release: () => Promise.resolve() };
  }
  if (!(await hasDatabase(dataDir))) {
    throw new StartError(
      'usage',
      `There is no database in the data directory ${dataDir}.`,
      'Say which one with --data-dir or CHATD_DATA_DIR, or name a PostgreSQL with CHATD_DATABASE_URL.',
    );
  }
  return await startOwn(dataDir, () => undefined);
}

export const hasDatabase = (dataDir: string): Promise<boolean> =>
  stat(join(dataDir, 'database')).then(
    () => true,
    () => false,
  );

/** Also makes one where there is none. */
export async function startOwn(
  dataDir: string,
  onProgress: (line: string) => void,
): Promise<BorrowedDatabase> {
  const server = await startEmbeddedPostgres({ dataDir, onProgress });
  if (server.adopted) {
    return { url: server.url, inUse: true, release: () => Promise.resolve() };
  }
  // A server that starts meanwhile finds it taken, and does not lose it under its feet.
  const lock = await acquireOwnerLock({ databaseUrl: server.url, dataDir }).catch(
    async (error: unknown) => {
      if (!(error instanceof AlreadyRunning)) await server.stop();
      throw error;
    },
  );
  return {
    url: server.url,
    inUse: false,
    async release() {
      await server.stop();
      await lock.release();
    },
  };
}
