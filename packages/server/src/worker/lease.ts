import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { OwnedChat } from '../store/queries/runs/heartbeat.ts';
import type { RunnerCommands } from '../store/commands/runner-commands.ts';

export interface LeaseOptions {
  readonly commands: RunnerCommands;
  readonly workerId: string;
  readonly leaseMs: number;
  readonly log: Logger;
  /** Called after each heartbeat with the chats that this worker owned. */
  readonly onBeat: (owned: ReadonlyMap<string, OwnedChat>, sentAt: number) => void;
}

/** The heartbeat interval as a share of the lease: three heartbeats may be lost. */
const BEATS = 0.3;
/** The safety margin as a share of the lease: an effect that starts now must be recorded before another owner can come. */
const MARGIN = 0.2;
const RETRY_MS = 500;

/** The lease of this worker, renewed with one statement for all its chats. */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #closed = new AbortController();
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** Since when the database has answered every heartbeat in time. */
  #steadySince = Number.NEGATIVE_INFINITY;
  #failed = false;
  #beat: Promise<void> | undefined;
  #beating: Promise<void> = Promise.resolve();

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** Resolves after the first heartbeat. Chats of an unregistered worker can be taken over by any other. */
  async start(): Promise<void> {
    await this.beat();
    this.#beating = this.#keepBeating();
  }

  /** No other worker can have taken over chats of this one yet. */
  get isFresh(): boolean {
    const age = performance.now() - this.#confirmedAt;
    return age < this.#options.leaseMs * (1 - MARGIN);
  }

  /**
   * Whether a worker without a heartbeat for the length of a lease counts as dead. After a database outage no worker has
   * a recent heartbeat, so each gets the length of a lease to send one before its chats are taken over.
   */
  get maySeize(): boolean {
    return this.isFresh && performance.now() - this.#steadySince >= this.#options.leaseMs;
  }

  /** Call before a side effect. Resolves when the lease is held. Rejects with the signal's reason. */
  async sure(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    while (!this.isFresh) {
      await this.beat().catch(() => sleep(RETRY_MS, undefined, { signal }).catch(() => undefined));
      signal.throwIfAborted();
    }
  }

  /** One at a time. Concurrent callers share it. */
  beat(): Promise<void> {
    this.#beat ??= this.#once().finally(() => {
      this.#beat = undefined;
    });
    return this.#beat;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#beating;
  }

  async #once(): Promise<void> {
    const { commands, workerId, leaseMs, onBeat } = this.#options;
    // Counted from before the statement was sent, so it is never later than by the database's clock.
    const sentAt = performance.now();
    const owned = await commands.heartbeat(workerId).catch((error: unknown) => {
      this.#failed = true;
      throw error;
    });
    const isFirst = this.#confirmedAt === Number.NEGATIVE_INFINITY;
    const wasSilent = !isFirst && sentAt - this.#confirmedAt >= leaseMs;
    if (this.#failed || wasSilent) this.#steadySince = performance.now();
    this.#failed = false;
    this.#confirmedAt = sentAt;
    onBeat(new Map(owned.map((chat) => [chat.id, chat])), sentAt);
  }

  async #keepBeating(): Promise<void> {
    const { signal } = this.#closed;
    const { leaseMs, log } = this.#options;
    let failing = false;
    while (!signal.aborted) {
      const pause = failing ? Math.min(RETRY_MS, leaseMs * BEATS) : leaseMs * BEATS;
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.beat();
        if (failing) log.info('heartbeats succeed again');
        failing = false;
      } catch (error) {
        if (!failing) log.warn({ err: error }, 'heartbeat failed; retrying');
        failing = true;
      }
    }
  }
}
