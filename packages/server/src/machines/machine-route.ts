import { type Clock, sleep, systemClock } from '@chatd/loop';
import { ConnectionRefused, dialWebSocket } from '../machine/link/web-socket-channel.ts';
import { LinkClient } from '../machine/link/link-client.ts';
import type { LinkSource } from '../machine/link/remote-machine.ts';
import { MachineOffline } from '../machine/machine.ts';
import type { MachineConnectionRow } from '../store/machines.ts';
import { databaseTime } from '../store/queries/database-time.ts';
import { findMachine, findMachineConnection } from '../store/queries/machines.ts';
import type { Queryable } from '../store/statement.ts';
import { FORWARDING_HEADER, type ForwardingKey } from './forwarding-key.ts';
import type { HeldMachines } from './held-machines.ts';

export interface MachineRouteOptions {
  readonly machineId: string;
  readonly database: Queryable;
  readonly replicaId: string;
  readonly held: HeldMachines;
  readonly key: ForwardingKey;
  readonly clock?: Clock | undefined;
  /** Default: over a WebSocket. */
  readonly dial?: typeof dialWebSocket | undefined;
  readonly traceparent?: (() => string | undefined) | undefined;
  readonly onProblem: (problem: string) => void;
}

/** Where replicas connect to the one that holds a machine. */
export const FORWARDING_PATH = '/internal/machines/';

const POLL_MS = 1000;
/** A connection to another replica is closed when it was not used for this long. */
const IDLE_MS = 60_000;

/** The way to one machine: the connection that this replica holds, or the replica that holds it. */
export class MachineRoute implements LinkSource {
  readonly #options: MachineRouteOptions;
  readonly #clock: Clock;
  #forward: LinkClient | undefined;
  #dialing: Promise<LinkClient | undefined> | undefined;
  readonly #waiting = new Set<() => void>();
  #changes = 0;
  #usedAt = 0;
  /** Why the replica that holds the machine cannot be used. */
  #problem: string | undefined;

  constructor(options: MachineRouteOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  get forward(): LinkClient | undefined {
    return this.#forward;
  }

  /** The connection of the machine may have changed. */
  wake(): void {
    this.#changes += 1;
    for (const wakeUp of this.#waiting) wakeUp();
  }

  async link(options: {
    readonly waitMs: number;
    readonly signal?: AbortSignal | undefined;
    readonly onWaiting?: (() => void) | undefined;
  }): Promise<LinkClient> {
    const { waitMs, signal, onWaiting } = options;
    const until = this.#clock.now() + waitMs;
    let isWaiting = false;
    for (;;) {
      signal?.throwIfAborted();
      const changes = this.#changes;
      const link = await this.#find();
      if (link !== undefined) return link;
      const left = until - this.#clock.now();
      if (left <= 0) throw await this.#offline();
      if (!isWaiting) onWaiting?.();
      isWaiting = true;
      await this.#wait(Math.min(POLL_MS, left), changes, signal);
    }
  }

  /** Closes a connection to another replica that is not used any more. */
  closeIdle(): void {
    if (this.#forward === undefined || this.#forward.openRequests > 0) return;
    if (this.#clock.now() - this.#usedAt > IDLE_MS) this.#forward.close('not used any more');
  }

  close(): void {
    this.#forward?.close('the server is shutting down');
  }

  async #find(): Promise<LinkClient | undefined> {
    const held = this.#options.held.find(this.#options.machineId);
    if (held !== undefined) return held;
    this.#usedAt = this.#clock.now();
    if (this.#forward !== undefined) return this.#forward;
    this.#dialing ??= this.#dial().finally(() => (this.#dialing = undefined));
    return await this.#dialing;
  }

  async #dial(): Promise<LinkClient | undefined> {
    const { database, machineId, replicaId, key, onProblem, traceparent } = this.#options;
    const { dial = dialWebSocket } = this.#options;
    const [row] = await database.query(findMachineConnection, { machine_id: machineId });
    // This replica, or an earlier process of it, does not hold it any more.
    this.#problem = undefined;
    if (row === undefined || row.replica_id === replicaId) return undefined;
    try {
      const claim = { machineId, replicaId: row.replica_id };
      const header = key.sign(claim, await databaseTime(database));
      const channel = await dial(forwardingUrl(row), { headers: { [FORWARDING_HEADER]: header } });
      const link = new LinkClient({
        channel,
        clock: this.#clock,
        ...(traceparent && { traceparent }),
      });
      this.#forward = link;
      this.#problem = undefined;
      const forget = () => {
        if (this.#forward === link) this.#forward = undefined;
        this.wake();
      };
      void link.closed.then(forget);
      return link;
    } catch (error) {
      // 409: it does not hold the machine any more.
      if (!(error instanceof ConnectionRefused && error.status === 409)) {
        const why = error instanceof Error ? error.message : String(error);
        this.#problem = `The machine ${row.machine_name} cannot be reached through the replica at ${row.internal_url}: ${why}`;
        onProblem(this.#problem);
      }
      return undefined;
    }
  }

  /** Returns after the time, or when the connection has changed since `changes`. */
  async #wait(ms: number, changes: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#changes !== changes) return;
    const woken = new AbortController();
    const wakeUp = () => woken.abort(new Error('the connection of the machine has changed'));
    const both = signal === undefined ? woken.signal : AbortSignal.any([signal, woken.signal]);
    this.#waiting.add(wakeUp);
    try {
      await sleep(this.#clock, ms, both);
    } catch {
      signal?.throwIfAborted();
    } finally {
      this.#waiting.delete(wakeUp);
    }
  }

  async #offline(): Promise<MachineOffline> {
    const { database, machineId } = this.#options;
    const [row] = await database.query(findMachine, { id: machineId });
    if (this.#problem !== undefined) return new MachineOffline(this.#problem);
    if (row === undefined) return new MachineOffline('The machine of the workspace was deleted.');
    const since = row.last_seen_at === null ? '' : ` since ${row.last_seen_at.toISOString()}`;
    const start =
      row.kind === 'local' ? 'the server that it is part of' : 'it with `chatd machine`';
    return new MachineOffline(`The machine ${row.name} is offline${since}. Start ${start}.`);
  }
}

function forwardingUrl({ internal_url, machine_id }: MachineConnectionRow): string {
  const url = new URL(internal_url);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${FORWARDING_PATH}${machine_id}`;
  return url.href;
}
