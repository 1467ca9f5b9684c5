import type { Logger } from 'pino';
import { within } from './bus/within.ts';
import type { Migrated, Replica } from './store/migrate/migrate.ts';
import { newerSchema } from './store/migrate/migration-error.ts';
import { WAITING_HINT, type WaitingMigration } from './store/migrate/older-replicas.ts';
import { findUnusableMigration } from './store/queries/schema-migrations.ts';
import { forgetReplica, registerReplica } from './store/queries/workers.ts';
import type { Queryable } from './store/statement.ts';

export interface ReplicaRegistrationOptions {
  readonly database: Queryable;
  readonly replica: Replica;
  /** The newest migration of this program. */
  readonly knows: number;
  readonly leaseMs: number;
  /** Whose heartbeats say that this replica lives. */
  readonly hasWorker: boolean;
  readonly waiting: readonly WaitingMigration[];
  /** Applies what waited, if it can by now. */
  readonly migrate: (signal: AbortSignal) => Promise<Migrated>;
  readonly log: Logger;
  readonly onFatal?: ((error: Error) => void) | undefined;
  readonly lookEveryMs?: number;
}

const LOOK_EVERY_MS = 10_000;
/** Of a lease, the time between two heartbeats. */
const BEATS = 0.3;
/** What cannot be said soon keeps nobody waiting. */
const CLOSE_MS = 2000;

/**
 * What replicas know of each other's programs: this one says which it is for as long as it runs, applies what waited for
 * older ones when they are gone, and notices when somebody did not wait for it.
 */
export class ReplicaRegistration {
  readonly #options: ReplicaRegistrationOptions;
  #waiting: readonly WaitingMigration[];
  #timer: NodeJS.Timeout | undefined;
  #look: Promise<void> = Promise.resolve();
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

  /** From now on its lease counts. */
  async start(): Promise<void> {
    await this.#renew();
    this.#say();
    this.#schedule();
  }

  /** While the rest of the program ends, after its worker was forgotten. */
  async linger(): Promise<void> {
    await within(
      CLOSE_MS,
      this.#renew().catch(() => undefined),
    );
  }

  async #renew(): Promise<void> {
    const { database, replica, knows, leaseMs } = this.#options;
    const { id, program, host } = replica;
    await database.query(registerReplica, [id, knows, program, host, leaseMs]);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    clearTimeout(this.#timer);
    await within(CLOSE_MS, this.#look);
    const { database, replica } = this.#options;
    // Where it cannot be said, the end of its lease says it.
    const said = database.query(forgetReplica, [replica.id]).catch(() => undefined);
    await within(CLOSE_MS, said);
  }

  #schedule(): void {
    if (this.#closed.signal.aborted) return;
    const { hasWorker, leaseMs, lookEveryMs = LOOK_EVERY_MS } = this.#options;
    const pause = hasWorker ? lookEveryMs : Math.min(lookEveryMs, leaseMs * BEATS);
    this.#timer = setTimeout(() => {
      this.#look = this.#once().finally(() => this.#schedule());
    }, pause);
    this.#timer.unref();
  }

  async #once(): Promise<void> {
    try {
      if (!this.#options.hasWorker) await this.#renew();
      await this.#noticeObsolescence();
      if (this.#waiting.length > 0) await this.#migrate();
    } catch (error) {
      this.#options.log.debug({ err: error }, 'other replicas could not be looked at');
    }
  }

  async #noticeObsolescence(): Promise<void> {
    const { database, knows, log, onFatal } = this.#options;
    if (this.#isObsolete) return;
    const [found] = await database.query(findUnusableMigration, [knows]);
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
    if (applied.length > 0) log.info({ applied }, 'migrations that had waited are applied');
    if (namesIn(waiting) !== namesIn(before)) this.#say();
  }

  #say(): void {
    for (const { migration, inTheWay } of this.#waiting) {
      this.#options.log.warn(
        { migration, in_the_way: inTheWay, hint: WAITING_HINT },
        'a migration waits for older replicas, which use what it takes away; this one serves without it',
      );
    }
  }
}

/** Who is in the way of what, without when they were heard of. */
const namesIn = (waiting: readonly WaitingMigration[]): string =>
  JSON.stringify(waiting).replaceAll(/heard of \d+ s ago/g, '');
