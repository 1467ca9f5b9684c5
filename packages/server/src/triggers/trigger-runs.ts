import type { Json } from '@chatd/protocol';
import type { Logger } from 'pino';
import { Refused } from '../chat/refused.ts';
import {
  countTriggerFailure,
  findRunByDelivery,
  findRunByTime,
  leaveRunQueue,
  nextQueuedRun,
  type TriggerRunRow,
} from '../store/queries/triggers/runs.ts';
import {
  lockTrigger,
  readTrigger,
  setNextTime,
  type TimedTrigger,
  tryLockTrigger,
} from '../store/queries/triggers/triggers.ts';
import { onlyRow } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import { withinTransaction } from '../store/transaction-scope.ts';
import type { Transaction } from '../store/transaction.ts';
import { DatabaseUnavailable } from '../store/unavailable.ts';
import { planFiring, type PlannedFiring, type Schedule } from './schedule.ts';
import { type Firing, record, type RunStarter } from './start-run.ts';

/** What a webhook delivery has caused. */
export interface DeliveredRun {
  readonly run: TriggerRunRow;
  /** The delivery was received before. */
  readonly isRepeated: boolean;
}

interface RunsOptions {
  readonly store: Store;
  readonly starter: RunStarter;
  readonly log: Logger;
}

/**
 * Fires triggers, each time and each delivery exactly once: the run, the message of its chat and the next time of the
 * schedule are one transaction. A refusal rolls it back and is recorded in a second one.
 */
export class TriggerRuns {
  readonly #store: Store;
  readonly #starter: RunStarter;
  readonly #log: Logger;

  constructor({ store, starter, log }: RunsOptions) {
    this.#store = store;
    this.#starter = starter;
    this.#log = log;
  }

  /** Fires a schedule that is due. False: another replica does, or it is no longer due. */
  async fireDue(id: string): Promise<boolean> {
    let tried: Date | undefined;
    return await this.#orRefused(
      id,
      (tx) =>
        this.#fireDue(tx, id, undefined, (trigger, firing) => {
          tried = firing.fireTime ?? undefined;
          return this.#starter.start(tx, trigger, firing);
        }),
      (tx, why) =>
        this.#fireDue(tx, id, tried, (trigger, firing) => this.#refuse(tx, trigger, firing, why)),
    );
  }

  /** Starts the oldest queued run. False: there is none, or an earlier run is in progress. */
  async startQueued(id: string): Promise<boolean> {
    let tried: string | undefined;
    return await this.#orRefused(
      id,
      (tx) =>
        this.#takeQueued(tx, id, undefined, async (trigger, run) => {
          tried = run.id;
          const chat_id = await this.#starter.startQueued(tx, trigger, run.message);
          await tx.query(leaveRunQueue, { id: run.id, status: 'started', reason: null, chat_id });
        }),
      (tx, why) =>
        this.#takeQueued(tx, id, tried, async (trigger, run) => {
          const { message: reason } = why;
          const refused = { id: run.id, status: 'refused', reason, chat_id: null };
          await tx.query(leaveRunQueue, refused);
          await countFailure(tx, trigger, why);
        }),
    );
  }

  /** A delivery that was verified. Undefined: the trigger was disabled or deleted meanwhile. */
  async deliver(id: string, deliveryId: string, payload: Json): Promise<DeliveredRun | undefined> {
    const firing = { fireTime: null, deliveryId, payload };
    const once =
      (start: (tx: Transaction, trigger: TimedTrigger) => Promise<TriggerRunRow>) =>
      async (tx: Transaction): Promise<DeliveredRun | undefined> => {
        const trigger = await locked(tx, id);
        if (trigger?.enabled !== true) return undefined;
        const seen = { trigger_id: id, delivery_id: deliveryId };
        const [first] = await tx.query(findRunByDelivery, seen);
        if (first !== undefined) return { run: first, isRepeated: true };
        return { run: await start(tx, trigger), isRepeated: false };
      };
    return await this.#orRefused(
      id,
      once((tx, trigger) => this.#starter.start(tx, trigger, firing)),
      (tx, why) => once((tx, trigger) => this.#refuse(tx, trigger, firing, why))(tx),
    );
  }

  /** For a user who tries it. Throws `Refused`, and then records nothing. */
  async runNow(
    id: string,
    payload: Json,
    tx: Transaction | undefined,
  ): Promise<TriggerRunRow | undefined> {
    return await withinTransaction(this.#store.database, tx, async (tx) => {
      const trigger = await locked(tx, id);
      if (trigger === undefined) return undefined;
      return await this.#starter.start(tx, trigger, { fireTime: null, deliveryId: null, payload });
    });
  }

  /** `only`: if this time is still due. Another replica may have fired it meanwhile. */
  async #fireDue(
    tx: Transaction,
    id: string,
    only: Date | undefined,
    start: (trigger: TimedTrigger, firing: Firing) => Promise<TriggerRunRow>,
  ): Promise<boolean> {
    const trigger = await lockedOrSkipped(tx, id);
    if (trigger === undefined) return false;
    const schedule = scheduleOf(trigger);
    if (schedule === undefined || schedule.next_fire_at > trigger.now) return false;
    const { next_fire_at: fireTime } = schedule;
    if (only !== undefined && only.getTime() !== fireTime.getTime()) return false;
    const firing = { fireTime, deliveryId: null, payload: { time: fireTime.toISOString() } };
    const planned = plannedOrRefused(schedule, trigger.now);
    if (planned instanceof Refused) {
      await this.#refuse(tx, trigger, firing, planned);
      await tx.query(setNextTime, { id, before: fireTime, next: null });
      return true;
    }
    const [earlier] = await tx.query(findRunByTime, { trigger_id: id, fire_time: fireTime });
    if (earlier === undefined) {
      if (planned.fires) await start(trigger, firing);
      else await record(tx, trigger, firing, 'skipped', MISSED);
    }
    await tx.query(setNextTime, { id, before: fireTime, next: planned.next });
    return true;
  }

  /** `only`: if this run is still the next one. */
  async #takeQueued(
    tx: Transaction,
    id: string,
    only: string | undefined,
    start: (
      trigger: TimedTrigger,
      run: { readonly id: string; readonly message: string },
    ) => Promise<void>,
  ): Promise<boolean> {
    const trigger = await lockedOrSkipped(tx, id);
    if (trigger === undefined) return false;
    const [run] = await tx.query(nextQueuedRun, { trigger_id: id });
    if (run === undefined || (only !== undefined && run.id !== only)) return false;
    if (trigger.enabled && !trigger.owner_suspended) await start(trigger, run);
    else await tx.query(leaveRunQueue, { id: run.id, ...DISABLED });
    return true;
  }

  async #refuse(
    tx: Transaction,
    trigger: TimedTrigger,
    firing: Firing,
    why: Refused,
  ): Promise<TriggerRunRow> {
    const run = await record(tx, trigger, firing, 'refused', why.message);
    await countFailure(tx, trigger, why);
    return run;
  }

  /** An unexpected error is recorded, too: a trigger that cannot run must not stay due forever. */
  async #orRefused<T>(
    id: string,
    work: (tx: Transaction) => Promise<T>,
    refuse: (tx: Transaction, why: Refused) => Promise<T>,
  ): Promise<T> {
    const { database } = this.#store;
    try {
      return await database.transaction(work);
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error;
      if (!(error instanceof Refused)) {
        this.#log.error({ err: error, trigger_id: id }, 'a trigger could not run');
      }
      const why = error instanceof Refused ? error : new Refused('internal', INTERNAL);
      return await database.transaction((tx) => refuse(tx, why));
    }
  }
}

const DISABLED = { status: 'skipped', reason: 'The trigger was disabled.', chat_id: null };
const MISSED = 'No server could start it within a minute.';
const INTERNAL = 'Internal error. The log of the server has the details.';

/**
 * Payloads that do not fit the prompt are no failures of the trigger. Nor are refusals that end by themselves: a burst of
 * deliveries must not disable it, and after a spend limit it goes on in the next month.
 */
async function countFailure(
  tx: Transaction,
  { id: trigger_id, kind }: TimedTrigger,
  { code, message: reason }: Refused,
): Promise<void> {
  if (code === 'queue_full' || code === 'trigger_spend_limit') return;
  if (code === 'invalid_payload' && kind === 'webhook') return;
  await tx.query(countTriggerFailure, { trigger_id, reason });
}

async function locked(tx: Transaction, id: string): Promise<TimedTrigger | undefined> {
  await tx.query(lockTrigger, { id });
  return (await tx.query(readTrigger, { id }))[0];
}

/** Undefined: another replica works on it, or it was deleted. */
async function lockedOrSkipped(tx: Transaction, id: string): Promise<TimedTrigger | undefined> {
  const { locked: isOurs } = onlyRow(await tx.query(tryLockTrigger, { id }));
  return isOurs ? (await tx.query(readTrigger, { id }))[0] : undefined;
}

/** The time zone of an existing schedule may no longer exist. */
function plannedOrRefused(schedule: Schedule, now: Date): PlannedFiring | Refused {
  try {
    return planFiring(schedule, now);
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

function scheduleOf({ cron, timezone, missed, next_fire_at }: TimedTrigger): Schedule | undefined {
  if (cron === null || next_fire_at === null) return undefined;
  return { cron, timezone: timezone ?? 'UTC', missed: missed ?? 'skip', next_fire_at };
}
