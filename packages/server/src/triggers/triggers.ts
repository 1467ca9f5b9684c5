import { randomUUID } from 'node:crypto';
import type { Json, WebhookVerification } from '@chatd/protocol';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import { RateLimit } from '../limits/rate-limit.ts';
import type { Vault } from '../secrets/vault.ts';
import { UnreadableSecret } from '../secrets/vault.ts';
import type { TriggerRunRow } from '../store/queries/triggers/runs.ts';
import { databaseTime } from '../store/queries/database-time.ts';
import { readTrigger, triggerSecretsOf } from '../store/queries/triggers/triggers.ts';
import type { Store } from '../store/store.ts';
import type { Transaction } from '../store/transaction.ts';
import type { Workspaces } from '../workspaces/workspaces.ts';
import { TriggerCommands } from './commands.ts';
import { resealTriggers } from './reseal.ts';
import { Scheduler } from './scheduler.ts';
import { RunStarter } from './start-run.ts';
import { type DeliveredRun, TriggerRuns } from './trigger-runs.ts';
import { type Delivery, isAuthentic } from './verification.ts';

interface TriggersOptions {
  readonly store: Store;
  readonly bus: Bus;
  readonly vault: Vault;
  /** Undefined: workspaces are disabled. */
  readonly workspaces: Workspaces | undefined;
  readonly log: Logger;
  /** Points per minute of each owner, for runs of schedules. 0: no rate limit. */
  readonly pointsPerMinute: number;
}

/** A delivery whose signature is valid. */
export interface VerifiedDelivery {
  readonly triggerId: string;
  readonly ownerId: string;
  readonly type: WebhookVerification;
}

const NO_ID = '00000000-0000-0000-0000-000000000000';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Schedules and webhooks that start chats. */
export class Triggers {
  readonly commands: TriggerCommands;
  readonly #store: Store;
  readonly #vault: Vault;
  readonly #log: Logger;
  readonly #runs: TriggerRuns;
  readonly #scheduler: Scheduler;
  /** For requests to unknown webhooks, so that they take as long as others. */
  readonly #dummy: { readonly secrets: string | null; readonly secret: string };

  constructor({ store, bus, vault, workspaces, log, pointsPerMinute }: TriggersOptions) {
    this.#store = store;
    this.#vault = vault;
    this.#log = log;
    const starter = new RunStarter(store, workspaces);
    this.#runs = new TriggerRuns({ store, starter, log });
    const { database } = store;
    const budget =
      pointsPerMinute > 0 ? new RateLimit(pointsPerMinute, () => performance.now()) : undefined;
    this.#scheduler = new Scheduler({ database, runs: this.#runs, bus, log, budget });
    const changed = () => this.#scheduler.changed();
    this.commands = new TriggerCommands({ vault, workspaces, changed });
    const secret = randomUUID();
    const secrets = vault.canSeal ? vault.seal({ secret }, triggerSecretsOf(NO_ID)) : null;
    this.#dummy = { secrets, secret };
  }

  async start(): Promise<void> {
    await resealTriggers(this.#store.database, this.#vault, this.#log);
    await this.#scheduler.start();
  }

  async close(): Promise<void> {
    await this.#scheduler.close();
  }

  /**
   * Undefined: the webhook does not exist or is disabled, or the signature is wrong. All of them do the same work, so that
   * their times do not tell which it is.
   */
  async verify(id: string, delivery: Delivery): Promise<VerifiedDelivery | undefined> {
    const { database } = this.#store;
    const [row] = await database.reads.query(readTrigger, { id: UUID.test(id) ? id : NO_ID });
    const hook = row?.enabled === true && row.verification !== null ? row : undefined;
    const secret = this.#secretOf(hook);
    const type = hook?.verification ?? 'hmac-sha256';
    const now = hook?.now ?? new Date(0);
    const isValid = isAuthentic(type, secret ?? this.#dummy.secret, delivery, now);
    if (hook === undefined || secret === undefined || !isValid) return undefined;
    return { triggerId: hook.id, ownerId: hook.owner_id, type };
  }

  /** Undefined: the trigger was disabled or deleted meanwhile. */
  async deliver(
    { triggerId }: VerifiedDelivery,
    deliveryId: string,
    payload: Json,
  ): Promise<DeliveredRun | undefined> {
    return await this.#runs.deliver(triggerId, deliveryId, payload);
  }

  /** For a user who tries it. Undefined: the trigger was deleted. */
  async run(id: string, payload: Json, tx?: Transaction): Promise<TriggerRunRow | undefined> {
    return await this.#runs.runNow(id, payload, tx);
  }

  /** The clock that schedules follow. */
  async now(): Promise<Date> {
    return await databaseTime(this.#store.database.reads);
  }

  #secretOf(
    hook: { readonly id: string; readonly secrets: string | null } | undefined,
  ): string | undefined {
    const { id, secrets } = hook ?? { id: NO_ID, ...this.#dummy };
    try {
      return secrets === null
        ? undefined
        : this.#vault.open(secrets, triggerSecretsOf(id))['secret'];
    } catch (error) {
      if (error instanceof UnreadableSecret) return undefined;
      throw error;
    }
  }
}
