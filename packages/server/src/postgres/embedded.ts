import { mkdir, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { chooseAccount } from './account.ts';
import { clusterOwner, openCluster } from './cluster.ts';
import { ensureDatabase } from './connection.ts';
import { explainFileError } from './file-errors.ts';
import { install, removeOtherVersions } from './installation.ts';
import { findPlatformPackage } from './platform-package.ts';
import { PostgresError } from './postgres-error.ts';
import { stopPostmaster } from './postmaster-stop.ts';
import { runPostmaster } from './postmaster.ts';
import { makeReachable } from './reachable.ts';
import { removeSocketDirectory, socketDirectoryFor } from './socket-directory.ts';

export interface EmbeddedPostgres {
  /** For `pg`. Contains the password: never log it. */
  readonly url: string;
  /** Whether the server was already running: left over from a killed process, or used by another chatd. */
  readonly adopted: boolean;
  /** Stops the server, whether started or adopted. Resolves when it has exited. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly settings?: Record<string, string>;
  readonly onProgress?: (line: string) => void;
  /** Aborts the start, and stops what was started. */
  readonly signal?: AbortSignal;
}

/**
 * Layout of the data directory: `postgres/VERSION/` (programs), `database/` (files and password), `socket/`,
 * `postgres.log`. Every step may be killed and may race with another start; none needs a lock.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  try {
    return await start(options);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw explainFileError(error, options.dataDir);
  }
}

async function start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { onProgress = () => undefined, settings = {}, signal } = options;
  const dataDir = await makeDataDirectory(options.dataDir);
  const home = join(dataDir, 'database');
  const programs = join(dataDir, 'postgres');

  const account = await chooseAccount(await clusterOwner(home));
  await makeReachable(dataDir, account);
  const installation = await install(await findPlatformPackage(), programs, onProgress);
  const cluster = await openCluster({ home, installation, account, onProgress, signal });
  const plan = {
    installation,
    cluster,
    account,
    socketDirectory: socketDirectoryFor(dataDir),
    logFile: join(dataDir, 'postgres.log'),
    settings,
    onProgress,
    signal,
  };
  const server = await runPostmaster(plan);
  try {
    const url = await ensureDatabase(cluster, server.socketDirectory);
    if (!server.adopted) await removeOtherVersions(programs, installation.version);
    let stopped: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      await stopPostmaster(server.pid, cluster.dir);
      await removeSocketDirectory(server.socketDirectory);
    };
    return { url, adopted: server.adopted, stop: () => (stopped ??= stop()) };
  } catch (error) {
    if (!server.adopted) await stopPostmaster(server.pid, cluster.dir);
    throw error;
  }
}

/** Private. If chatd is root, the account of PostgreSQL must be able to traverse it. */
async function makeDataDirectory(path: string): Promise<string> {
  refuseShellCharacters(resolve(path));
  await mkdir(path, { recursive: true, mode: process.geteuid?.() === 0 ? 0o711 : 0o700 });
  return realpath(path);
}

/** initdb runs its server through a shell, in double quotes without escaping; pid files are read line by line. */
function refuseShellCharacters(path: string): void {
  const [character] = /["$`\\\n]/.exec(path) ?? [];
  if (character === undefined) return;
  throw new PostgresError({
    kind: 'unsupported_path',
    message: `PostgreSQL cannot use ${path}: the path contains ${JSON.stringify(character)}.`,
    hint: 'Choose another data directory with CHATD_DATA_DIR.',
  });
}
