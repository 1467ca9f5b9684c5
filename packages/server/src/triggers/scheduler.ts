import type { Logger } from 'pino';
import type { Bus, Subscription } from '../bus/bus.ts';
import type { RateLimit } from '../limits/rate-limit.ts';
import { TURN } from '../limits/route-costs.ts';
import type { Database } from '../store/database.ts';
import { dueTriggers } from '../store/queries/triggers/triggers.ts';
import { onlyRow } from '../store/statement.ts';
import { DatabaseUnavailable } from '../store/unavailable.ts';
import type { TriggerRuns } from './trigger-runs.ts';

const SUBJECT = 'triggers';
const FIRST_TICK_MS = 100;
/** Changes are announced over the bus; this is for lost messages. */
const LONGEST_SLEEP_MS = 15_000;
/** While runs wait for others, or another replica works on what is due. */
const RETRY_MS = 500;
const BATCH = 100;
const PARALLEL = 4;

interface SchedulerOptions {
  readonly database: Database;
  readonly runs: Pick<TriggerRuns, 'fireDue' | 'startQueued'>;
  readonly bus: Bus;
  readonly log: Logger;
  /** Of each owner. Undefined: no rate limit. */
  readonly budget: RateLimit | undefined;
}

/**
 * Fires schedules when they are due, by the clock of the database. One statement tells what is due and when the next time
 * is; until then, it sleeps. Every replica has a scheduler.
 *
 * A run costs its owner as much as a message. The schedules of an owner who has overdrawn their budget wait, so that they
 * delay no others.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  #subscription: Subscription | undefined;
  #stopGaps: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ticking: Promise<void> | undefined;
  #wakes = 0;
  readonly #overdrawn = new Set<string>();
  #closed = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { bus } = this.#options;
    this.#subscription = await bus.subscribe(SUBJECT, () => this.#wake());
    this.#stopGaps = bus.onGap(() => this.#wake());
    this.#sleep(FIRST_TICK_MS);
  }

  /** A schedule was created or changed. Call it after the commit. */
  changed(): void {
    this.#options.bus.publish(SUBJECT, {});
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#stopGaps?.();
    await this.#subscription?.close();
    await this.#ticking;
  }

  #wake(): void {
    this.#wakes += 1;
    if (this.#ticking === undefined) this.#sleep(0);
  }

  #sleep(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#ticking = this.#wakeUp();
    }, ms);
    this.#timer.unref();
  }

  async #wakeUp(): Promise<void> {
    const wakes = this.#wakes;
    const wait = await this.#tick();
    this.#ticking = undefined;
    this.#sleep(this.#wakes === wakes ? wait : 0);
  }

  /** Returns the time until the next tick. */
  async #tick(): Promise<number> {
    const { database, runs, log } = this.#options;
    try {
      const { due, owners, free, has_queued, wait_ms } = onlyRow(
        await database.query(dueTriggers, { limit: BATCH, overdrawn: this.#stillOverdrawn() }),
      );
      const work = [
        ...due.map((id, index) => () => this.#fire(id, owners[index] ?? '')),
        ...free.map((id) => () => runs.startQueued(id)),
      ];
      if (await this.#perform(work)) return 0;
      const isBusy = work.length > 0 || has_queued || this.#overdrawn.size > 0;
      const longest = isBusy ? RETRY_MS : LONGEST_SLEEP_MS;
      return Math.min(longest, wait_ms ?? longest);
    } catch (error) {
      const level = error instanceof DatabaseUnavailable ? 'warn' : 'error';
      log[level]({ err: error }, 'the scheduler of triggers failed. Retrying');
      return RETRY_MS;
    }
  }

  async #fire(id: string, owner: string): Promise<boolean> {
    const { budget, runs } = this.#options;
    if (budget !== undefined && budget.waitMs(owner, TURN.points) > 0) {
      this.#overdrawn.add(owner);
      return false;
    }
    const fired = await runs.fireDue(id);
    if (fired) budget?.take(owner, TURN.points);
    return fired;
  }

  #stillOverdrawn(): string[] {
    for (const owner of this.#overdrawn) {
      const wait = this.#options.budget?.waitMs(owner, TURN.points) ?? 0;
      if (wait === 0) this.#overdrawn.delete(owner);
    }
    return [...this.#overdrawn];
  }

  /** Whether any of it was done here. Throws after the rest was tried: a trigger that fails delays no other. */
  async #perform(work: readonly (() => Promise<boolean>)[]): Promise<boolean> {
    const left = work.values();
    const errors: unknown[] = [];
    let done = false;
    const workers = Array.from({ length: PARALLEL }, async () => {
      for (const task of left) {
        if (this.#closed) return;
        try {
          if (await task()) done = true;
        } catch (error) {
          errors.push(error);
        }
      }
    });
    await Promise.all(workers);
    if (errors.length > 0) throw errors[0];
    return done;
  }
}
