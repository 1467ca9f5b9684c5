import type { Effect } from '../deployment/effects.ts';
import type { Network } from './connection.ts';
import { Postgres } from './postgres.ts';
import { Broker, type Replica, SETTINGS, startReplica, type Surroundings } from './replica.ts';
import { STATEMENTS } from './statements/statements.ts';
import type { World } from './world.ts';

/** A replica's clock can be so wrong. */
const CLOCK_ERROR_MS = 600_000;

/** Replicas, their database and their bus, and what can happen to them. */
export class Deployment {
  readonly world: World;
  readonly postgres: Postgres;
  readonly effects: Effect[] = [];
  readonly replicas: Replica[] = [];
  readonly #with: Surroundings;
  /** The share of messages to the database whose connection breaks. */
  #connectionLoss = 0;

  constructor(world: World) {
    this.world = world;
    this.postgres = new Postgres(world, STATEMENTS, SETTINGS);
    const { random } = world;
    const network: Network = {
      latencyMs: () => (random.chance(0.01) ? random.integer(50, 400) : random.integer(1, 4)),
      loss: () =>
        random.chance(this.#connectionLoss)
          ? random.pick(['request', 'response'] as const)
          : undefined,
    };
    const { postgres, effects } = this;
    this.#with = { world, postgres, network, effects, broker: new Broker(world) };
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
    ];
    await random.pick(faults)();
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
    await this.world.run(replica.process, () => replica.close());
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
