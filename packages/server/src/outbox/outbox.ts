import type { Logger } from 'pino';
import type { Database } from '../store/database.ts';
import {
  claimDeliveries,
  type ClaimedDelivery,
  deleteDelivery,
  type DeliveryKind,
  hasTargets,
  recordDelivered,
  recordFailed,
  releaseDelivery,
} from '../store/queries/outbox/deliveries.ts';
import { onlyRow } from '../store/statement.ts';
import { DatabaseUnavailable } from '../store/unavailable.ts';
import type { Channel, Outcome } from './channel.ts';

/** How often events of other replicas, and due retries, are looked for. */
const EVERY_MS = 5000;
/** Longer than an attempt takes. After it, another replica repeats the attempt. */
const LEASE_MS = 45_000;
/** An attempt does not begin later than this after its claim: the process was frozen, and the lease may end. */
const LATEST_START_MS = 20_000;
/** In flight in this process, so that a slow receiver uses few connections and delays no other. */
const PER_TARGET = 4;
const IN_ALL = 256;

export interface OutboxOptions {
  readonly database: Database;
  readonly channels: Readonly<Record<DeliveryKind, Channel>>;
  readonly log: Logger;
  readonly timing?: Partial<OutboxTiming>;
}

export interface OutboxTiming {
  readonly everyMs: number;
  readonly leaseMs: number;
  /** Before the next attempt, after so many. */
  readonly delayMs: (attempts: number) => number;
  /** How long a target gets no requests after 5 failures in a row. Doubled with each further one, up to 256 times. */
  readonly blockMs: number;
}

/** 5 seconds, doubled after each attempt, at most one hour. Varied by 10 %. */
const delayMs = (attempts: number): number =>
  Math.round(
    Math.min(5000 * 2 ** Math.min(attempts - 1, 20), 3_600_000) * (0.9 + Math.random() / 5),
  );

/**
 * Delivers the events in the outbox: each at least once, those of a chat in order. All replicas do so. They share the work
 * through the table: a claimed event has a lease.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #timing: OutboxTiming;
  readonly #inFlight = new Map<ClaimedDelivery, Promise<void>>();
  readonly #closed = new AbortController();
  #wanted = Promise.withResolvers<void>();
  #hasTargets = false;
  #running: Promise<void> | undefined;
  #failing = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#timing = {
      everyMs: EVERY_MS,
      leaseMs: LEASE_MS,
      delayMs,
      blockMs: 1000,
      ...options.timing,
    };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Call after a commit that may have written an event. Costs nothing while no event has a target. */
  wake(): void {
    if (this.#hasTargets) this.#wanted.resolve();
  }

  /** Call when a target was added. Other replicas find it within seconds. */
  targetsChanged(): void {
    this.#hasTargets = true;
    this.#wanted.resolve();
  }

  /** Ends attempts in flight. Their events are delivered by another replica, or after the next start. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.#wanted.resolve();
    await this.#running;
    await Promise.all(this.#inFlight.values());
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      this.#wanted = Promise.withResolvers<void>();
      const timer = setTimeout(() => this.#wanted.resolve(), this.#timing.everyMs);
      timer.unref();
      try {
        await this.#claim();
        this.#failing = false;
      } catch (error) {
        if (!this.#failing) this.#options.log.warn({ err: error }, 'outbox failed; retrying');
        this.#failing = true;
      }
      if (!signal.aborted) await this.#wanted.promise;
      clearTimeout(timer);
    }
  }

  async #claim(): Promise<void> {
    const { database } = this.#options;
    this.#hasTargets = onlyRow(await database.query(hasTargets)).exists;
    const limit = IN_ALL - this.#inFlight.size;
    if (limit <= 0 || this.#closed.signal.aborted) return;
    const claimedAt = performance.now();
    const claimed = await database.query(claimDeliveries, {
      busy: this.#busyTargets(),
      per_target: PER_TARGET,
      limit,
      lease_ms: this.#timing.leaseMs,
    });
    for (const delivery of claimed) {
      const attempt = this.#attempt(delivery, claimedAt).finally(() => {
        this.#inFlight.delete(delivery);
        // The next event of the chat is due now.
        this.#wanted.resolve();
      });
      this.#inFlight.set(delivery, attempt);
    }
  }

  #busyTargets(): string[] {
    const counts = Map.groupBy(this.#inFlight.keys(), ({ target_id }) => target_id);
    return [...counts].filter(([, { length }]) => length >= PER_TARGET).map(([id]) => id);
  }

  /** Never throws. If the result cannot be recorded, the lease ends and the attempt is repeated. */
  async #attempt(delivery: ClaimedDelivery, claimedAt: number): Promise<void> {
    const { database, channels, log } = this.#options;
    const { signal } = this.#closed;
    const { id, attempts } = delivery;
    const channel = channels[delivery.kind];
    try {
      if (signal.aborted || performance.now() - claimedAt > LATEST_START_MS) {
        await database.query(releaseDelivery, { id, attempts });
        return;
      }
      await this.#record(delivery, channel, await this.#send(channel, delivery));
    } catch (error) {
      if (signal.aborted) {
        await database.query(releaseDelivery, { id, attempts }).catch(() => undefined);
        return;
      }
      log.warn(
        { err: error, delivery: id },
        'the result of a delivery cannot be recorded; it is repeated',
      );
    }
  }

  async #send(channel: Channel, delivery: ClaimedDelivery): Promise<Outcome> {
    const { signal } = this.#closed;
    try {
      return await channel.send(delivery, signal);
    } catch (error) {
      if (signal.aborted || error instanceof DatabaseUnavailable) throw error;
      this.#options.log.error({ err: error, delivery: delivery.id }, 'a delivery failed');
      const reason = 'Internal error. The log of the server has the details.';
      return { kind: 'failed', status: null, error: reason };
    }
  }

  async #record(
    { id, kind, target_id, event, attempts }: ClaimedDelivery,
    { keepsDelivered }: Channel,
    outcome: Outcome,
  ): Promise<void> {
    const { database, log } = this.#options;
    if (outcome.kind === 'gone') {
      await database.query(deleteDelivery, { id });
      return;
    }
    if (outcome.kind === 'delivered') {
      await database.query(recordDelivered, { id, attempts, status: outcome.status });
      if (!keepsDelivered) await database.query(deleteDelivery, { id });
      return;
    }
    const { status, error, final = false } = outcome;
    const delay_ms = this.#timing.delayMs(attempts);
    const [recorded] = await database.query(recordFailed, {
      id,
      attempts,
      status,
      error,
      delay_ms,
      block_ms: this.#timing.blockMs,
      final,
    });
    if (recorded?.state !== 'dead') return;
    log.warn({ kind, target_id, event, attempts, error }, 'an event could not be delivered');
    if (!keepsDelivered) await database.query(deleteDelivery, { id });
  }
}
