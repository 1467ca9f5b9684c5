import type { Logger } from 'pino';
import { within } from '../bus/within.ts';
import type { Migrated, Replica } from '../store/migrate/migrate.ts';
import { newerSchema } from '../store/migrate/migration-error.ts';
import { WAITING_HINT, type WaitingMigration } from '../store/migrate/older-replicas.ts';
import { findUnusableMigration } from '../store/queries/schema-migrations.ts';
import { forgetReplica, registerReplica } from '../store/queries/workers.ts';
import type { Queryable } from '../store/statement.ts';

export interface ReplicaRegistrationOptions {
  readonly database: Queryable;
  readonly replica: Replica;
  /** The newest migration of this program. */
  readonly knows: number;
  readonly leaseMs: number;
  /** The worker renews the registration with its heartbeats. */
  readonly hasWorker: boolean;
  readonly waiting: readonly WaitingMigration[];
  /** Applies the waiting migrations, if no older replica needs the old schema any more. */
  readonly migrate: (signal: AbortSignal) => Promise<Migrated>;
  readonly log: Logger;
  readonly onFatal?: ((error: Error) => void) | undefined;
  readonly checkEveryMs?: number;
}

const CHECK_EVERY_MS = 10_000;
/** The time between two heartbeats, as a part of the lease. */
const HEARTBEAT_SHARE = 0.3;
/** A slow database does not delay the shutdown for longer. */
const CLOSE_MS = 2000;

/**
 * Registers the version of this replica while it runs. Applies waiting migrations when the older replicas are gone, and
 * reports a fatal error when a newer replica has applied a migration that this version cannot work with.
 */
export class ReplicaRegistration {
  readonly #options: ReplicaRegistrationOptions;
  #waiting: readonly WaitingMigration[];
  #timer: NodeJS.Timeout | undefined;
  #check: Promise<void> = Promise.resolve();
  readonly #closed = new AbortController();
  #isObsolete = false;

  constructor(options: ReplicaRegistrationOptions) {
    this.#options = options;
    this.#waiting = options.waiting;
  }

  /** Migrations that wait for older replicas. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Registers this replica and keeps the registration alive. */
  async start(): Promise<void> {
    await this.#renew();
    this.#logWaiting();
    this.#schedule();
  }

  /** Registers again after the worker has deleted its row, while the rest of the server closes. */
  async renewWhileClosing(): Promise<void> {
    await within(
      CLOSE_MS,
      this.#renew().catch(() => undefined),
    );
  }

  async #renew(): Promise<void> {
    const { database, replica, knows, leaseMs } = this.#options;
    const { id, program, host } = replica;
    await database.query(registerReplica, { id, knows, program, host, lease_ms: leaseMs });
  }

  async close(): Promise<void> {
    this.#closed.abort();
    clearTimeout(this.#timer);
    await within(CLOSE_MS, this.#check);
    const { database, replica } = this.#options;
    // If this fails, the registration expires with its lease.
    const deleted = database.query(forgetReplica, { id: replica.id }).catch(() => undefined);
    await within(CLOSE_MS, deleted);
  }

  #schedule(): void {
    if (this.#closed.signal.aborted) return;
    const { hasWorker, leaseMs, checkEveryMs = CHECK_EVERY_MS } = this.#options;
    const pause = hasWorker ? checkEveryMs : Math.min(checkEveryMs, leaseMs * HEARTBEAT_SHARE);
    this.#timer = setTimeout(() => {
      this.#check = this.#once().finally(() => this.#schedule());
    }, pause);
    this.#timer.unref();
  }

  async #once(): Promise<void> {
    try {
      if (!this.#options.hasWorker) await this.#renew();
      await this.#checkSchema();
      if (this.#waiting.length > 0) await this.#migrate();
    } catch (error) {
      this.#options.log.debug({ err: error }, 'cannot check the other replicas');
    }
  }

  async #checkSchema(): Promise<void> {
    const { database, knows, log, onFatal } = this.#options;
    if (this.#isObsolete) return;
    const [found] = await database.query(findUnusableMigration, { version: knows });
    if (found === undefined) return;
    this.#isObsolete = true;
    const error = newerSchema(found, knows);
    log.error({ migration: found.name, hint: error.hint }, error.message);
    onFatal?.(error);
  }

  async #migrate(): Promise<void> {
    const before = this.#waiting;
    const { applied, waiting = [] } = await this.#options.migrate(this.#closed.signal);
    this.#waiting = waiting;
    const { log } = this.#options;
    if (applied.length > 0)
      log.info({ applied }, 'applied the migrations that waited for older replicas');
    if (namesIn(waiting) !== namesIn(before)) this.#logWaiting();
  }

  #logWaiting(): void {
    for (const { migration, inTheWay } of this.#waiting) {
      this.#options.log.warn(
        { migration, in_the_way: inTheWay, hint: WAITING_HINT },
        'a migration waits for older replicas, which use what it removes; this replica works without it',
      );
    }
  }
}

/** The waiting migrations and the replicas that block them, without the times of the last heartbeats. */
const namesIn = (waiting: readonly WaitingMigration[]): string =>
  JSON.stringify(waiting).replaceAll(/\d+ s ago/g, '');
