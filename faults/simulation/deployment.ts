import { pino } from 'pino';
import { MachineConnector } from '../../packages/server/src/machine/program/machine-connector.ts';
import { FORWARDING_HEADER } from '../../packages/server/src/machines/forwarding-key.ts';
import { FORWARDING_PATH } from '../../packages/server/src/machines/machine-route.ts';
import type { Effect } from '../deployment/effects.ts';
import type { Network } from './connection.ts';
import { Postgres } from './postgres.ts';
import { MachineDisk, SimulatedMachine } from './machine.ts';
import { type Listener, Network as Links } from './network.ts';
import { Receiver } from './receiver.ts';
import { Broker, type Replica, SETTINGS, startReplica, type Surroundings } from './replica.ts';
import { STATEMENTS } from './statements/statements.ts';
import type { Process, World } from './world.ts';

/** A replica's clock can be so wrong. */
const CLOCK_ERROR_MS = 600_000;
/** The host name behind which a load balancer chooses a replica. */
const ANY_REPLICA = 'any-replica';
const SILENT = pino({ level: 'silent' });

/** Replicas, their database and their bus, and what can happen to them. */
export class Deployment {
  readonly world: World;
  readonly postgres: Postgres;
  readonly effects: Effect[] = [];
  readonly receiver: Receiver;
  readonly replicas: Replica[] = [];
  readonly #with: Surroundings;
  readonly #links: Links;
  readonly #disk = new MachineDisk();
  #machine: Process | undefined;
  /** The share of messages to the database whose connection breaks. */
  #connectionLoss = 0;

  constructor(world: World) {
    this.world = world;
    this.postgres = new Postgres(world, STATEMENTS, SETTINGS);
    const { random } = world;
    // With a slow database, many steps wait for their batch.
    const slowestMs = random.pick([4, 4, 120]);
    const network: Network = {
      latencyMs: () =>
        random.chance(0.01) ? random.integer(50, 400) : random.integer(1, slowestMs),
      loss: () =>
        random.chance(this.#connectionLoss)
          ? random.pick(['request', 'response'] as const)
          : undefined,
    };
    this.receiver = new Receiver(world);
    const { postgres, effects, receiver } = this;
    this.#links = new Links(world, (host) => this.#listener(host));
    const broker = new Broker(world);
    this.#with = { world, postgres, network, effects, receiver, broker, links: this.#links };
  }

  async startReplica(): Promise<void> {
    const { random } = this.world;
    const error = random.chance(0.2) ? random.pick([-1, 1]) * CLOCK_ERROR_MS : 0;
    this.replicas.push(await startReplica(this.#with, error));
  }

  /** The clients reach one of the replicas. */
  anyReplica(): Replica | undefined {
    const { length } = this.replicas;
    return length === 0 ? undefined : this.world.random.pick(this.replicas);
  }

  /** One random fault. Resolves when it is over. */
  async disturb(): Promise<void> {
    const { random } = this.world;
    const faults = [
      () => this.#kill(),
      () => this.#kill(),
      () => this.#freeze(),
      () => this.#restartGracefully(),
      () => this.postgres.restart(random.integer(10, 5_000)),
      () => this.#breakConnections(),
      () => this.#loseMessages(),
      ...(this.#machine === undefined
        ? []
        : [
            () => this.#killMachine(),
            () => this.#breakLinks(),
            () => this.#breakLinks(),
            () => this.#breakLinks(),
            () => this.#freezeMachine(),
          ]),
    ];
    await random.pick(faults)();
  }

  /** Before the replicas start. Returns its id. */
  addMachine(): string {
    const { random, time } = this.world;
    const id = random.uuid();
    this.postgres.machines.committed.set(id, {
      id,
      name: 'machine',
      kind: 'remote',
      labels: {},
      admin_labels: {},
      draining: false,
      reserved_for: null,
      version: null,
      capabilities: {},
      created_at: new Date(time),
      last_seen_at: null,
      online: false,
      workspaces: 0,
    });
    return id;
  }

  /** The program of the machine, which stays connected to one of the replicas. */
  startMachine(): void {
    const { world, effects } = this;
    const [row] = this.postgres.machines.committed.values();
    if (row === undefined) return;
    const process = world.process('machine');
    this.#machine = process;
    const boot = world.random.uuid();
    const machine = new SimulatedMachine(world, this.#disk, effects, boot);
    const connector = new MachineConnector({
      url: `http://${ANY_REPLICA}`,
      token: '',
      machine: machine.asMachine(row.id, row.name),
      hello: { version: '', boot, labels: {} },
      log: SILENT,
      dial: this.#links.dial,
    });
    // A program that was replaced exits, and is started again.
    const run = () => connector.run().catch(() => undefined);
    void world.enter(process, run).then(() => this.#restartMachine(process));
  }

  async #restartMachine(process: Process): Promise<void> {
    this.world.kill(process);
    await this.world.sleep(this.world.random.integer(0, 3_000));
    if (this.#machine === process) this.startMachine();
  }

  async #killMachine(): Promise<void> {
    if (this.#machine !== undefined) await this.#restartMachine(this.#machine);
  }

  async #freezeMachine(): Promise<void> {
    const process = this.#machine;
    if (process === undefined) return;
    this.world.freeze(process);
    await this.world.sleep(this.world.random.integer(100, 12_000));
    this.world.thaw(process);
  }

  async #breakLinks(): Promise<void> {
    this.#links.break(this.world.random.chance(0.5));
  }

  #listener(host: string): Listener | undefined {
    const replica =
      host === ANY_REPLICA
        ? this.anyReplica()
        : this.replicas.find(({ process }) => process.name === host);
    if (replica === undefined) return undefined;
    const { machines, process } = replica;
    return {
      process,
      accept: async (path, headers, channel) => {
        const [row] = this.postgres.machines.committed.values();
        if (row === undefined) return { status: 404, detail: 'Not found.' };
        if (!path.startsWith(FORWARDING_PATH)) {
          void machines.accept(row, channel);
          return undefined;
        }
        const problem = await machines.problemWithForward(row.id, headers[FORWARDING_HEADER]);
        if (problem !== undefined) return { status: 401, detail: problem };
        if (!machines.holds(row.id)) return { status: 409, detail: 'not held by this replica' };
        machines.acceptForward(row.id, channel);
        return undefined;
      },
    };
  }

  async #kill(): Promise<void> {
    const replica = this.#take();
    if (replica === undefined) return;
    this.world.kill(replica.process);
    await this.world.sleep(this.world.random.integer(0, 6_000));
    await this.startReplica();
  }

  async #freeze(): Promise<void> {
    const replica = this.anyReplica();
    if (replica === undefined) return;
    this.world.freeze(replica.process);
    await this.world.sleep(this.world.random.integer(100, 12_000));
    this.world.thaw(replica.process);
  }

  async #restartGracefully(): Promise<void> {
    const replica = this.#take();
    if (replica === undefined) return;
    await this.world.enter(replica.process, () => replica.close());
    this.world.kill(replica.process);
    await this.startReplica();
  }

  async #breakConnections(): Promise<void> {
    this.#connectionLoss = this.world.random.pick([0.01, 0.1, 0.5]);
    await this.world.sleep(this.world.random.integer(100, 4_000));
    this.#connectionLoss = 0;
  }

  async #loseMessages(): Promise<void> {
    this.#with.broker.loss = this.world.random.pick([0.1, 0.5, 1]);
    await this.world.sleep(this.world.random.integer(100, 8_000));
    this.#with.broker.healed();
  }

  #take(): Replica | undefined {
    const { random } = this.world;
    if (this.replicas.length === 0) return undefined;
    return this.replicas.splice(random.integer(0, this.replicas.length - 1), 1)[0];
  }
}
