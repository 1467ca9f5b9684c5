import type { Logger } from 'pino';
import { Refused } from './chat/refused.ts';
import { findReferences, purgeFiles, purgeObjects } from './store/files/purge-files.ts';
import { findInactiveChats } from './store/queries/chats/find.ts';
import { purgeAuditEvents } from './store/queries/audit-events.ts';
import { purgeDebugEntries } from './store/queries/debug-entries.ts';
import { discardChat } from './openai/discard-chat.ts';
import { findUnstoredChats, purgeDeletedChats } from './store/queries/chats/purge.ts';
import { purgeIdempotencyKeys } from './store/queries/idempotency-keys.ts';
import {
  purgeDeliveries,
  purgeFailingTargets,
  purgeOrphanedDeliveries,
} from './store/queries/outbox/deliveries.ts';
import { purgeSessions } from './store/queries/sessions.ts';
import { purgeSignInAttempts } from './store/queries/sign-in-attempts.ts';
import { purgeCliLogins } from './store/queries/sign-in/cli-logins.ts';
import { purgeFinishedSignIns } from './store/queries/sign-in/identities.ts';
import { purgeSignInLinks } from './store/queries/sign-in-links.ts';
import { purgeTriggerRuns } from './store/queries/triggers/runs.ts';
import { purgeTriggerApprovals } from './store/queries/triggers/triggers.ts';
import { purgeWorkers } from './store/queries/workers.ts';
import { loadSettings } from './store/settings.ts';
import type { Statement } from './store/statement.ts';
import type { Store } from './store/store.ts';

const FIRST_RUN_MS = 30_000;
const EVERY_MS = 60 * 60 * 1000;
const BATCH = 100;

const PURGES: Record<string, Statement<{ readonly limit: number }, object>> = {
  'deleted chats': purgeDeletedChats,
  'idempotency keys': purgeIdempotencyKeys,
  sessions: purgeSessions,
  'sign-in attempts': purgeSignInAttempts,
  'sign-in links': purgeSignInLinks,
  'finished sign-ins': purgeFinishedSignIns,
  'logins of commands': purgeCliLogins,
  'events of webhooks': purgeDeliveries,
  'events without a target': purgeOrphanedDeliveries,
  'failing targets of events': purgeFailingTargets,
  'runs of triggers': purgeTriggerRuns,
  'approval rules of deleted triggers': purgeTriggerApprovals,
  workers: purgeWorkers,
};

export interface Housekeeping {
  close(): Promise<void>;
}

interface HousekeepingOptions {
  /** Null: audit events are kept. */
  readonly auditRetentionDays: number | null;
  readonly signal?: AbortSignal;
}

/** Runs soon after the start and then every hour. Failures are logged and retried in the next run. */
export function startHousekeeping(
  store: Store,
  log: Logger,
  options: Omit<HousekeepingOptions, 'signal'>,
): Housekeeping {
  let timer: NodeJS.Timeout;
  let run: Promise<void> = Promise.resolve();
  const closed = new AbortController();
  const schedule = (delay: number) => {
    timer = setTimeout(() => {
      run = again();
    }, delay);
    timer.unref();
  };
  const again = async () => {
    await runHousekeeping(store, log, { ...options, signal: closed.signal });
    if (!closed.signal.aborted) schedule(EVERY_MS);
  };
  schedule(FIRST_RUN_MS);
  return {
    async close() {
      closed.abort();
      clearTimeout(timer);
      await run;
    },
  };
}

/** One run, in small batches that hold no lock for long. Several replicas can run it at the same time. */
export async function runHousekeeping(
  store: Store,
  log: Logger,
  { auditRetentionDays: days = null, signal }: Partial<HousekeepingOptions> = {},
): Promise<void> {
  await attempt(log, 'inactive chats', () => deleteInactiveChats(store, signal));
  await attempt(log, 'unstored chats', () => deleteUnstoredChats(store, signal));
  await attempt(log, 'debug record', () => forgetDebugEntries(store, signal));
  if (days !== null) {
    await attempt(log, 'audit events', () =>
      inBatches(signal, () => store.database.query(purgeAuditEvents, { days, limit: BATCH })),
    );
  }
  for (const [what, purge] of Object.entries(PURGES)) {
    await attempt(log, what, () =>
      inBatches(signal, () => store.database.query(purge, { limit: BATCH })),
    );
  }
  // After the chats, so that their files are deleted in the same run.
  const { database, files } = store;
  const steps = {
    'references to files': () => findReferences(database, BATCH),
    'unused files': () => purgeFiles(database, BATCH),
    'objects of deleted files': () => purgeObjects(database, files.storage, BATCH),
  };
  for (const [what, step] of Object.entries(steps)) {
    await attempt(log, what, () => inBatches(signal, step));
  }
}

async function attempt(log: Logger, what: string, work: () => Promise<number>): Promise<void> {
  try {
    const count = await work();
    if (count > 0) log.info({ what, count }, 'deleted expired rows');
  } catch (error) {
    log.error({ err: error, what }, 'housekeeping failed');
  }
}

async function inBatches(
  signal: AbortSignal | undefined,
  next: () => Promise<readonly unknown[]>,
): Promise<number> {
  let count = 0;
  for (;;) {
    const done = await next();
    count += done.length;
    if (done.length < BATCH || signal?.aborted === true) return count;
  }
}

/** A normal deletion: clients are notified, and the chat can be restored for a day. */
async function deleteInactiveChats(store: Store, signal?: AbortSignal): Promise<number> {
  const { retention_days } = await loadSettings(store.database);
  if (retention_days === null) return 0;
  let last: string | null = null;
  return await inBatches(signal, async () => {
    const rows = await store.database.query(findInactiveChats, {
      days: retention_days,
      limit: BATCH,
      after_id: last,
    });
    for (const { id } of rows) {
      last = id;
      await deleteIfIdle(store, id);
    }
    return rows;
  });
}

/** Of repeatable requests, and those that were left behind by servers that crashed. */
async function deleteUnstoredChats(store: Store, signal?: AbortSignal): Promise<number> {
  let last: string | null = null;
  return await inBatches(signal, async () => {
    const rows = await store.database.query(findUnstoredChats, { limit: BATCH, after_id: last });
    for (const { id } of rows) {
      last = id;
      await discardChat(store, id);
    }
    return rows;
  });
}

async function forgetDebugEntries(store: Store, signal?: AbortSignal): Promise<number> {
  const { debug_record } = await loadSettings(store.database);
  return await inBatches(signal, () =>
    store.database.query(purgeDebugEntries, { limit: BATCH, hours: debug_record.retention_hours }),
  );
}

async function deleteIfIdle(store: Store, id: string): Promise<void> {
  try {
    await store.client.delete(id);
  } catch (error) {
    // The chat has started to run, or was deleted.
    if (!(error instanceof Refused)) throw error;
  }
}
