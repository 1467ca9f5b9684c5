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

/** A PostgreSQL that takes connections, whoever started it. */
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
 * One server for this directory, whatever is found there: nothing, the remains of a crash, an orphan of a killed
 * process, or a server that another process is starting or stopping at this moment.
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
          `Taking over the PostgreSQL that is already running on this data directory (pid ${pid})`,
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

/** Undefined: it did not start because another starter's server was there first; look again. */
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
    // A session of its own: Ctrl-C goes to everything in the terminal's group, and PostgreSQL must outlive our last commit.
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
  const said = await tailSince(logFile, offset);
  if (said.includes('lock file "postmaster.pid" already exists')) return undefined;
  if (said.includes('pre-existing shared memory block') && Date.now() - since < SHARED_MEMORY_MS) {
    // The sessions of a postmaster that was killed notice within moments, and leave.
    await sleep(POLL_MS * 4);
    return undefined;
  }
  throw startFailed(plan, said);
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
 * Undefined when the process ended first. Without a limit of time: recovery takes as long as it takes, and says so.
 * Where the socket is, the server writes down on its way, so only a ready one is asked.
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
      plan.onProgress(`PostgreSQL (pid ${pid}) takes long to shut down; urging it`);
      await stopPostmaster(pid, plan.cluster.dir);
    }
    await sleep(POLL_MS, undefined, plan.signal === undefined ? {} : { signal: plan.signal });
  }
}

function startFailed(plan: PostmasterPlan, said: string, cause?: unknown): PostgresError {
  return new PostgresError({
    kind: 'start_failed',
    message: `PostgreSQL did not start. The end of its log (${plan.logFile}):\n${said.trim() || '(it said nothing)'}`,
    hint:
      'Put right what the log names (often: no room on the disk, a damaged file, wrong owner or mode), and start ' +
      'again; or set CHATD_DATABASE_URL to a PostgreSQL of your own.',
    cause,
  });
}
