import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresAccount } from './account.ts';
import { refusal } from './connection.ts';
import type { Cluster } from './cluster.ts';
import type { Installation } from './installation.ts';
import { removeStale } from './lock-file.ts';
import { PostgresError } from './postgres-error.ts';
import { inspectPostmaster, pidFileOf } from './postmaster-pid.ts';
import { stopPostmaster } from './postmaster-stop.ts';
import { isPostmasterOf } from './process-identity.ts';
import { openLog, sizeOf, tailSince } from './server-log.ts';
import { makeSocketDirectory, removeStaleSocketLock } from './socket-directory.ts';

const POLL_MS = 25;
const SAY_SO_EVERY_MS = 5_000;
const EMPTY_FILE_MS = 2_000;
const SHARED_MEMORY_MS = 30_000;
const IMPATIENT_WITH_STOPPING_MS = 10_000;

/** A PostgreSQL that accepts connections, started here or adopted. */
export interface RunningPostmaster {
  readonly pid: number;
  readonly socketDirectory: string;
  readonly adopted: boolean;
}

export interface PostmasterPlan {
  readonly installation: Installation;
  readonly cluster: Cluster;
  readonly account: PostgresAccount | undefined;
  readonly socketDirectory: string;
  readonly logFile: string;
  readonly settings: Record<string, string>;
  readonly onProgress: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Ensures that one server runs on this directory, whatever its state: empty, crashed, left over from a killed process,
 * or being started or stopped by another process.
 */
export async function runPostmaster(plan: PostmasterPlan): Promise<RunningPostmaster> {
  const { cluster, onProgress, signal } = plan;
  const since = Date.now();
  for (;;) {
    signal?.throwIfAborted();
    const found = await inspectPostmaster(cluster.dir);
    switch (found.state) {
      case 'absent': {
        const started = await launch(plan, since);
        if (started !== undefined) return started;
        break;
      }
      case 'stale':
        onProgress('Removing the pid file of a PostgreSQL that is no longer running');
        await removeStale(pidFileOf(cluster.dir), found.text);
        break;
      case 'empty':
        if (Date.now() - since > EMPTY_FILE_MS)
          await removeStale(pidFileOf(cluster.dir), found.text);
        else await sleep(POLL_MS);
        break;
      case 'starting':
      case 'ready': {
        const { pid } = found.file;
        onProgress(
          `Adopting the PostgreSQL that is already running on this data directory (pid ${pid})`,
        );
        const ready = await becomesReady(plan, pid);
        if (ready !== undefined) return { ...ready, adopted: true };
        break;
      }
      case 'stopping':
        onProgress(`Waiting for the previous PostgreSQL to shut down (pid ${found.file.pid})`);
        await awaitEnd(plan, found.file.pid);
        break;
      default:
        found satisfies never;
    }
  }
}

/** Undefined: another process started a server first. Look again. */
async function launch(plan: PostmasterPlan, since: number): Promise<RunningPostmaster | undefined> {
  const { account, cluster, installation, logFile, socketDirectory } = plan;
  await makeSocketDirectory(socketDirectory, account);
  await removeStaleSocketLock(socketDirectory, cluster.dir);
  const log = await openLog(logFile, account);
  const offset = await sizeOf(logFile);
  const child = spawn(installation.postgres, commandLine(plan), {
    cwd: cluster.dir,
    env: installation.environment,
    stdio: ['ignore', log.fd, log.fd],
    // In its own session, so that Ctrl-C in the terminal does not stop PostgreSQL before the last commit.
    detached: true,
    ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
  });
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw startFailed(plan, String(error), error);
  } finally {
    await log.close();
  }
  child.unref();
  const { pid } = child;
  if (pid === undefined) throw startFailed(plan, 'it has no process id');
  try {
    const ready = await becomesReady(plan, pid);
    if (ready !== undefined) return { ...ready, adopted: false };
  } catch (error) {
    await stopPostmaster(pid, cluster.dir);
    throw error;
  }
  const logTail = await tailSince(logFile, offset);
  if (logTail.includes('lock file "postmaster.pid" already exists')) return undefined;
  if (
    logTail.includes('pre-existing shared memory block') &&
    Date.now() - since < SHARED_MEMORY_MS
  ) {
    // The sessions of a killed postmaster end within moments.
    await sleep(POLL_MS * 4);
    return undefined;
  }
  throw startFailed(plan, logTail);
}

function commandLine(plan: PostmasterPlan): string[] {
  const settings: Record<string, string> = {
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: `"${plan.socketDirectory.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    max_connections: '120',
    shared_buffers: '128MB',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    ...plan.settings,
  };
  const assignments = Object.entries(settings).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  return ['-D', plan.cluster.dir, ...assignments];
}

/**
 * Undefined: the process ended first. There is no time limit, because recovery can take long and is logged. The server
 * writes its socket path to a file, so only a ready one is contacted.
 */
async function becomesReady(
  plan: PostmasterPlan,
  pid: number,
): Promise<{ pid: number; socketDirectory: string } | undefined> {
  const { cluster, onProgress, signal } = plan;
  let told = Date.now();
  let why = '';
  while (isPostmasterOf(pid, cluster.dir)) {
    const found = await inspectPostmaster(cluster.dir);
    if (found.state === 'stopping') return undefined;
    if (found.state === 'ready' && found.file.pid === pid) {
      const { socketDirectory } = found.file;
      const refused = await refusal(cluster, socketDirectory);
      if (refused === undefined) return { pid, socketDirectory };
      why = ` (${refused})`;
    }
    if (Date.now() - told > SAY_SO_EVERY_MS) {
      told = Date.now();
      onProgress(
        `PostgreSQL (pid ${pid}) is still starting or recovering${why}; its log is ${plan.logFile}`,
      );
    }
    await sleep(POLL_MS, undefined, signal === undefined ? {} : { signal });
  }
  return undefined;
}

async function awaitEnd(plan: PostmasterPlan, pid: number): Promise<void> {
  const deadline = Date.now() + IMPATIENT_WITH_STOPPING_MS;
  while (isPostmasterOf(pid, plan.cluster.dir)) {
    if (Date.now() > deadline) {
      plan.onProgress(`PostgreSQL (pid ${pid}) is slow to shut down; escalating`);
      await stopPostmaster(pid, plan.cluster.dir);
    }
    await sleep(POLL_MS, undefined, plan.signal === undefined ? {} : { signal: plan.signal });
  }
}

function startFailed(plan: PostmasterPlan, logTail: string, cause?: unknown): PostgresError {
  return new PostgresError({
    kind: 'start_failed',
    message: `PostgreSQL did not start. End of its log (${plan.logFile}):\n${logTail.trim() || '(empty)'}`,
    hint:
      'Fix the problem that the log names (often a full disk, a damaged file, or a wrong owner or mode), and start ' +
      'again; or set CHATD_DATABASE_URL to an external PostgreSQL.',
    cause,
  });
}
