import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { OwnedChat } from '../store/queries/runs/heartbeat.ts';
import type { RunnerCommands } from '../store/commands/runner-commands.ts';

export interface LeaseOptions {
  readonly commands: RunnerCommands;
  readonly workerId: string;
  readonly leaseMs: number;
  readonly log: Logger;
  /** Called after each heartbeat with the chats that were ours when it was made. */
  readonly onBeat: (owned: ReadonlyMap<string, OwnedChat>, sentAt: number) => void;
}

/** Of a lease, the time between two heartbeats: three may be lost before it is. */
const BEATS = 0.3;
/** Of a lease, what is kept back: an effect that starts now must be over its first commit before another owner comes. */
const MARGIN = 0.2;
const RETRY_MS = 500;

/** The worker's word that it lives, renewed in one statement for all its chats. */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #closed = new AbortController();
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** Since when the database has answered every heartbeat, and in time. */
  #steadySince = Number.NEGATIVE_INFINITY;
  #failed = false;
  #beat: Promise<void> | undefined;
  #beating: Promise<void> = Promise.resolve();

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** Resolves with the first heartbeat: a chat whose worker nobody knows is free for all. */
  async start(): Promise<void> {
    await this.beat();
    this.#beating = this.#keepBeating();
  }

  /** No other worker can have taken our chats yet, whatever happened to this process. */
  get isFresh(): boolean {
    const age = performance.now() - this.#confirmedAt;
    return age < this.#options.leaseMs * (1 - MARGIN);
  }

  /**
   * Whether a worker that was not heard of for a lease may be taken for dead. After an outage it was the database that
   * heard nobody: it recovers for as long as it takes, and whoever is back first must not take the chats of those who
   * are not yet, nor its own. So each gets the length of a lease to be heard again.
   */
  get maySeize(): boolean {
    return this.isFresh && performance.now() - this.#steadySince >= this.#options.leaseMs;
  }

  /** Before a side effect: resolves when the lease is surely held. Rejects with the signal's reason. */
  async sure(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    while (!this.isFresh) {
      await this.beat().catch(() => sleep(RETRY_MS, undefined, { signal }).catch(() => undefined));
      signal.throwIfAborted();
    }
  }

  /** One at a time; whoever comes while it is under way shares it. */
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
    // Counted from before the statement was sent: the database's clock reads it later, never earlier.
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
        if (failing) log.info('heartbeats reach the database again');
        failing = false;
      } catch (error) {
        if (!failing) log.warn({ err: error }, 'a heartbeat failed; it is tried again and again');
        failing = true;
      }
    }
  }
}
