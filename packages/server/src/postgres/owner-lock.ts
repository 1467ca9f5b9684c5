import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { isAlive } from './process-identity.ts';
import { readAnnouncement, removeAnnouncement, writeAnnouncement } from './server-announcement.ts';
import type { ServerAnnouncement } from './server-announcement.ts';

const RETRY_MS = 100;
/** How long the session of a killed server may outlive it, until PostgreSQL notices. */
const DEAD_OWNER_MS = 10_000;

/** Another server owns this data directory. Do not stop an adopted PostgreSQL: it belongs to that server. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';
  readonly server: ServerAnnouncement | undefined;
  readonly hint: string;

  constructor(dataDir: string, server: ServerAnnouncement | undefined) {
    super(
      server === undefined
        ? `Another chatd is starting or running on the data directory ${dataDir}.`
        : `chatd is already running on the data directory ${dataDir}: ${server.url} (pid ${server.pid}, since ${server.started_at}).`,
    );
    this.server = server;
    this.hint =
      server === undefined
        ? 'Wait a moment and open it, or set CHATD_DATA_DIR to another directory for a second server.'
        : `Open ${server.url}, stop it with: kill ${server.pid}, or set CHATD_DATA_DIR and CHATD_LISTEN for a second server.`;
  }
}

export interface OwnerLock {
  /** Publishes the address of the server when it is listening. */
  announce(server: ServerAnnouncement): Promise<void>;
  /**
   * To stop PostgreSQL as well, stop it before the release: another server could otherwise adopt a PostgreSQL that is
   * about to stop.
   */
  release(): Promise<void>;
}

/**
 * One server per data directory, enforced by an advisory lock of its own session, which ends with the process. If
 * PostgreSQL restarts, the lock is acquired again; `onLost` is called if another server was faster.
 */
export async function acquireOwnerLock(options: {
  databaseUrl: string;
  dataDir: string;
  onLost?: (reason: AlreadyRunning) => void;
}): Promise<OwnerLock> {
  const { databaseUrl, dataDir, onLost = () => undefined } = options;
  const released = new AbortController();
  let session = await firstSession(databaseUrl, dataDir);
  let announced: ServerAnnouncement | undefined;

  const keep = async (): Promise<void> => {
    while (!released.signal.aborted) {
      await session.ended;
      session = await relock(databaseUrl, dataDir, released.signal);
    }
  };
  const keeping = keep().catch((error: unknown) => {
    if (released.signal.aborted) return;
    if (!(error instanceof AlreadyRunning)) throw error;
    onLost(error);
  });

  return {
    async announce(server) {
      announced = server;
      await writeAnnouncement(dataDir, server);
    },
    async release() {
      released.abort();
      if (announced !== undefined && (await readAnnouncement(dataDir))?.pid === announced.pid) {
        await removeAnnouncement(dataDir);
      }
      await session.close();
      await keeping;
      // Acquired again just before.
      await session.close();
    },
  };
}

/** PostgreSQL may be stopping with its previous owner and starting again. */
async function firstSession(databaseUrl: string, dataDir: string): Promise<Session> {
  const deadline = Date.now() + DEAD_OWNER_MS;
  for (;;) {
    try {
      return await lockedSession(databaseUrl, dataDir);
    } catch (error) {
      if (error instanceof AlreadyRunning || Date.now() > deadline) throw error;
      await sleep(RETRY_MS);
    }
  }
}

interface Session {
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

async function lockedSession(databaseUrl: string, dataDir: string): Promise<Session> {
  const client = new Client({
    connectionString: databaseUrl,
    application_name: 'chatd owner lock',
  });
  client.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => client.once('end', resolve));
  await client.connect();
  try {
    await lock(client, dataDir);
  } catch (error) {
    await client.end();
    throw error;
  }
  return { ended, close: () => client.end() };
}

async function lock(client: Client, dataDir: string): Promise<void> {
  const deadline = Date.now() + DEAD_OWNER_MS;
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>(
      'SELECT pg_try_advisory_lock($1::int, $2::int) AS locked',
      [...ADVISORY_LOCKS.owner],
    );
    if (rows[0]?.locked === true) return;
    const server = await readAnnouncement(dataDir);
    const ownerIsDead = server !== undefined && !isAlive(server.pid);
    if (!ownerIsDead || Date.now() > deadline) throw new AlreadyRunning(dataDir, server);
    await sleep(RETRY_MS);
  }
}

/** Retries until PostgreSQL is back, without a time limit. */
async function relock(databaseUrl: string, dataDir: string, signal: AbortSignal): Promise<Session> {
  for (;;) {
    await sleep(RETRY_MS, undefined, { signal });
    try {
      return await lockedSession(databaseUrl, dataDir);
    } catch (error) {
      if (error instanceof AlreadyRunning) throw error;
    }
  }
}
