import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { acquireOwnerLock, AlreadyRunning, startEmbeddedPostgres } from './postgres/index.ts';
import { StartError } from './start-error.ts';

export interface BorrowedDatabase {
  readonly url: string;
  /** Whether a server may be using it. */
  readonly inUse: boolean;
  /** Stops PostgreSQL if it was started for this. */
  release(): Promise<void>;
}

/** Opens the database of a server for another command, whether the server is running or not. */
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
      `The data directory ${dataDir} has no database.`,
      'Set --data-dir or CHATD_DATA_DIR to another directory, or CHATD_DATABASE_URL to an external PostgreSQL.',
    );
  }
  return await startOwn(dataDir, () => undefined);
}

export const hasDatabase = (dataDir: string): Promise<boolean> =>
  stat(join(dataDir, 'database')).then(
    () => true,
    () => false,
  );

/** Creates the database if it does not exist. */
export async function startOwn(
  dataDir: string,
  onProgress: (line: string) => void,
): Promise<BorrowedDatabase> {
  const server = await startEmbeddedPostgres({ dataDir, onProgress });
  if (server.adopted) {
    return { url: server.url, inUse: true, release: () => Promise.resolve() };
  }
  // The lock keeps a server from adopting a PostgreSQL that is about to stop.
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
