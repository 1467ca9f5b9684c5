import { type Clock, systemClock } from '@chatd/loop';
import type { Logger } from 'pino';
import type { Bus } from '../bus/bus.ts';
import type { Channel } from '../machine/link/channel.ts';
import {
  commonProtocol,
  type Hello,
  PROTOCOL,
  receiveHello,
  REPLACED,
  sendWelcome,
  TRACE_VERSION,
} from '../machine/link/handshake.ts';
import { LinkClient } from '../machine/link/link-client.ts';
import { LinkServer, type LinkTraces } from '../machine/link/link-server.ts';
import { memoryChannels } from '../machine/link/memory-channel.ts';
import { parsed } from '../machine/link/operations.ts';
import { serveMachine } from '../machine/link/serve-machine.ts';
import type { MachineCapabilities, OwnMachine } from '../machine/machine.ts';
import { type JsonText, toJson } from '../store/json.ts';
import type { MachineRow } from '../store/machines.ts';
import {
  connectMachine,
  disconnectMachine,
  findMachine,
  findMachineConnection,
  heldMachines,
  recordCapabilities,
} from '../store/queries/machines.ts';
import type { Queryable } from '../store/statement.ts';

/** Tells all replicas that a machine is connected, was released, or was changed. */
export const MACHINES_SUBJECT = 'machines';
export type MachineNotice = {
  readonly machine_id: string;
  /** Of the new connection. Null: released or changed. */
  readonly epoch: number | null;
};

const NO_DATABASE = 'this replica does not reach the database';
/** Longer than the default lease, after which other replicas consider the machines offline. */
const NO_DATABASE_MS = 45_000;
const ANSWER_MS = 5000;
const FORGOTTEN = 'the connection is not recorded any more';
/** Sent to the machine, which shows it. */
const TAKEN =
  'another program is connected with the token of this machine: create a machine for each program';

export interface HeldMachinesOptions {
  readonly database: Queryable;
  readonly bus: Bus;
  readonly replicaId: string;
  /** Where other replicas reach this one. */
  readonly internalUrl: () => string;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly traces?: Pick<LinkTraces, 'traceparent'> | undefined;
  readonly onRoundTrip?: (ms: number) => void;
  /** Whether a program answers over the present connection of a machine, which any replica may hold. */
  readonly answers: (machineId: string) => Promise<boolean>;
}

interface Held {
  readonly id: string;
  /** Identifies the process of the machine. */
  readonly boot: string;
  readonly name: string;
  readonly epoch: number;
  readonly link: LinkClient;
  /** As it is recorded. */
  capabilities: JsonText;
  /** The machine of this process. */
  readonly isOwn: boolean;
  /** Called when another connection has fenced this one. */
  readonly release: (reason: string) => void;
}

/** The connections of machines that this replica holds. A newer connection of a machine, to any replica, fences the older. */
export class HeldMachines {
  readonly #options: HeldMachinesOptions;
  readonly #clock: Clock;
  readonly #held = new Map<string, Held>();
  /** Bytes of links that have ended. */
  readonly #past = { sent: 0, received: 0 };
  #checkedAt: number;
  #isClosing = false;

  constructor(options: HeldMachinesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#checkedAt = this.#clock.now();
  }

  find(id: string): LinkClient | undefined {
    return this.#held.get(id)?.link;
  }

  get all(): readonly { readonly id: string; readonly name: string; readonly link: LinkClient }[] {
    return [...this.#held.values()];
  }

  get bytes(): { readonly sent: number; readonly received: number } {
    let { sent, received } = this.#past;
    for (const { link } of this.#held.values()) {
      sent += link.bytes.sent;
      received += link.bytes.received;
    }
    return { sent, received };
  }

  /** Serves a machine whose token was checked. */
  async accept(row: MachineRow, channel: Channel): Promise<void> {
    const { log, traces, onRoundTrip } = this.#options;
    try {
      const hello = await receiveHello(channel, this.#clock);
      const protocol = commonProtocol(hello.protocol);
      if (protocol === undefined) throw new Error(unsupported(hello));
      if (await this.#isTaken(row.id, hello.boot)) throw new Error(TAKEN);
      const connected = await this.#connect(row.id, hello, false);
      if (connected === undefined) throw new Error('the machine was deleted');
      if (this.#isClosing) throw new Error('the server is shutting down');
      const { name } = connected;
      sendWelcome(channel, { protocol, machine: { id: row.id, name } });
      const link = new LinkClient({
        channel,
        clock: this.#clock,
        ...(traces && protocol >= TRACE_VERSION && { traceparent: () => traces.traceparent() }),
        ...(onRoundTrip && { onRoundTrip }),
      });
      log.info({ machine: name, version: hello.version, protocol }, 'machine connected');
      this.#hold({
        ...connected,
        id: row.id,
        boot: hello.boot,
        link,
        isOwn: false,
        release: (reason) => link.close(reason),
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log.warn({ machine: row.name, reason }, 'connection of a machine refused');
      channel.close(reason);
    }
  }

  /** Holds the machine of this process. Undefined: a living replica holds it. */
  async holdOwn(
    machine: OwnMachine,
    version: string,
    options: { readonly force: boolean; readonly onFenced: () => void },
  ): Promise<boolean> {
    const about = { labels: {}, version, capabilities: await machine.capabilities() };
    const connected = await this.#connect(machine.id, about, !options.force);
    if (connected === undefined) return false;
    const [channel, other] = memoryChannels();
    const server = new LinkServer({
      channel: other,
      clock: this.#clock,
      serve: serveMachine(machine),
    });
    const link = new LinkClient({ channel, clock: this.#clock });
    this.#hold({
      ...connected,
      id: machine.id,
      boot: this.#options.replicaId,
      link,
      isOwn: true,
      release: (reason) => {
        server.close(reason);
        link.close(reason);
        options.onFenced();
      },
    });
    return true;
  }

  /** Ends connections that newer ones have fenced. */
  async check(): Promise<void> {
    const { database } = this.#options;
    const before = [...this.#held.values()];
    const rows = before.length === 0 ? [] : await this.#recorded();
    this.#checkedAt = this.#clock.now();
    const epochs = new Map(rows.map(({ machine_id, epoch }) => [machine_id, epoch]));
    for (const held of before) {
      if (epochs.get(held.id) === held.epoch) continue;
      const [row] = await database.query(findMachineConnection, { machine_id: held.id });
      // Without a newer connection, such as after a failover that lost this one, the machine must connect again.
      this.#fence(held, row !== undefined && row.epoch > held.epoch ? REPLACED : FORGOTTEN);
    }
  }

  /** Records what connected machines can do now. Docker, for example, may have started after the machine. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#held.values()].map((held) => this.#refresh(held)));
  }

  async #refresh(held: Held): Promise<void> {
    const { database, log } = this.#options;
    try {
      const { result } = parsed('capabilities', await held.link.request('capabilities', {}));
      const capabilities = toJson(result);
      if (capabilities === held.capabilities) return;
      await database.query(recordCapabilities, { machine_id: held.id, capabilities });
      held.capabilities = capabilities;
    } catch (error) {
      log.debug({ err: error, machine: held.name }, 'cannot record what a machine can do');
    }
  }

  /** Throws if the database fails. If it fails for long, the machines are left to replicas that reach it. */
  async #recorded(): Promise<readonly { machine_id: string; epoch: number }[]> {
    const { database, replicaId } = this.#options;
    const leave = () => {
      for (const held of this.#held.values()) if (!held.isOwn) held.release(NO_DATABASE);
    };
    const until = this.#checkedAt + NO_DATABASE_MS;
    // A process that was frozen asks the database first.
    const cancel = this.#clock.after(Math.max(ANSWER_MS, until - this.#clock.now()), leave);
    try {
      return await database.query(heldMachines, { replica_id: replicaId });
    } catch (error) {
      if (this.#clock.now() >= until) leave();
      throw error;
    } finally {
      cancel();
    }
  }

  /** A replica has told that a machine is connected to it. */
  told({ machine_id, epoch }: MachineNotice): void {
    const held = this.#held.get(machine_id);
    if (held !== undefined && epoch !== null && epoch > held.epoch) this.#fence(held);
  }

  /** Closes the connection of a machine that was deleted, or whose token was replaced. */
  async recheck(id: string): Promise<void> {
    const held = this.#held.get(id);
    if (held === undefined) return;
    const [row] = await this.#options.database.query(findMachine, { id });
    if (row === undefined) return held.release('the machine was deleted');
    await this.check();
  }

  /** Ends the connections of machines, which connect to other replicas. No more are accepted. */
  async closeRemote(): Promise<void> {
    this.#isClosing = true;
    await this.#close([...this.#held.values()].filter(({ isOwn }) => !isOwn));
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#close([...this.#held.values()]);
  }

  async #close(some: readonly Held[]): Promise<void> {
    for (const { release } of some) release('the server is shutting down');
    await Promise.all(some.map((held) => this.#released(held)));
  }

  /** Two programs with one token must not replace each other for ever. A program may replace its own connection. */
  async #isTaken(id: string, boot: string): Promise<boolean> {
    return this.#held.get(id)?.boot !== boot && (await this.#options.answers(id));
  }

  async #connect(
    id: string,
    about: Pick<Hello, 'name' | 'labels' | 'version'> & { capabilities: MachineCapabilities },
    onlyIfFree: boolean,
  ): Promise<Pick<Held, 'epoch' | 'name' | 'capabilities'> | undefined> {
    const { database, replicaId, internalUrl } = this.#options;
    const capabilities = toJson({ ...about.capabilities });
    const [connected] = await database.query(connectMachine, {
      machine_id: id,
      replica_id: replicaId,
      internal_url: internalUrl(),
      only_if_free: onlyIfFree,
      name: about.name ?? null,
      reported_labels: toJson(about.labels),
      version: about.version,
      capabilities,
    });
    if (connected === undefined) return undefined;
    const [row] = await database.query(findMachine, { id });
    return row === undefined ? undefined : { epoch: connected.epoch, name: row.name, capabilities };
  }

  #hold(held: Held): void {
    const { bus, log } = this.#options;
    const earlier = this.#held.get(held.id);
    if (earlier !== undefined && earlier.epoch > held.epoch) return held.release(REPLACED);
    this.#held.set(held.id, held);
    earlier?.release(REPLACED);
    const drop = async (reason: string) => {
      this.#past.sent += held.link.bytes.sent;
      this.#past.received += held.link.bytes.received;
      if (this.#held.get(held.id) === held) this.#held.delete(held.id);
      log.info({ machine: held.name, reason }, 'machine disconnected');
      if (!this.#isClosing) await this.#released(held);
    };
    void held.link.closed.then(drop);
    bus.publish(MACHINES_SUBJECT, { machine_id: held.id, epoch: held.epoch });
  }

  async #released({ id, name, epoch }: Held): Promise<void> {
    const { database, bus, log } = this.#options;
    try {
      await database.query(disconnectMachine, { machine_id: id, epoch });
      bus.publish(MACHINES_SUBJECT, { machine_id: id, epoch: null });
    } catch (error) {
      log.warn({ err: error, machine: name }, 'cannot record that a machine has disconnected');
    }
  }

  #fence(held: Held, reason: string = REPLACED): void {
    if (this.#held.get(held.id) === held) this.#held.delete(held.id);
    held.release(reason);
  }
}

function unsupported({ protocol, version }: Hello): string {
  const older = protocol.newest < PROTOCOL.oldest ? 'the machine' : 'the server';
  return `protocol ${protocol.newest} of version ${version} is not supported: upgrade ${older}`;
}
