import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, Settings } from '@chatd/protocol';
import { pino } from 'pino';
import { z } from 'zod';
import { type LocalTool, tool } from '../../packages/loop/src/index.ts';
import { type Bus, newStats, type Subscription } from '../../packages/server/src/bus/bus.ts';
import { Outbox } from '../../packages/server/src/outbox/outbox.ts';
import { DeploymentMachines } from '../../packages/server/src/machines/deployment-machines.ts';
import { ForwardingKey } from '../../packages/server/src/machines/forwarding-key.ts';
import { hintOf } from '../../packages/server/src/store/change.ts';
import { RecentSettings } from '../../packages/server/src/store/recent-settings.ts';
import { Store } from '../../packages/server/src/store/store.ts';
import { Scheduler } from '../../packages/server/src/triggers/scheduler.ts';
import { RunStarter } from '../../packages/server/src/triggers/start-run.ts';
import { TriggerRuns } from '../../packages/server/src/triggers/trigger-runs.ts';
import { fixedToolbox } from '../../packages/server/src/tools/toolbox.ts';
import { NO_INSTRUMENTS } from '../../packages/server/src/worker/instruments.ts';
import { Worker } from '../../packages/server/src/worker/worker.ts';
import type { Effect } from '../deployment/effects.ts';
import { GUARDED_TOOL } from '../deployment/plan.ts';
import { type Network, SimulatedDatabase } from './connection.ts';
import { machineToolbox } from './machine-tools.ts';
import { simulatedModel } from './model.ts';
import type { Network as Links } from './network.ts';
import type { Receiver } from './receiver.ts';
import type { Postgres } from './postgres.ts';
import { LEASE_MS, SWEEP_MS } from './timing.ts';
import type { Process, World } from './world.ts';

/** The lease is longer than a replica that begins an attempt late, and the attempt itself. */
const OUTBOX_TIMING = { everyMs: 1_000, leaseMs: 25_000, blockMs: 100 };
const log = pino({ level: 'silent' });
/** Of the deployment. */
const KEY = Buffer.alloc(32, 7);
const NO_SINK = { begin: () => undefined, push: () => undefined, end: () => undefined };

/** What the replicas of a simulation share. */
export interface Surroundings {
  readonly world: World;
  readonly postgres: Postgres;
  readonly broker: Broker;
  readonly network: Network;
  readonly effects: Effect[];
  readonly receiver: Receiver;
  readonly links: Links;
}

export interface Replica {
  readonly process: Process;
  readonly store: Store;
  readonly runs: TriggerRuns;
  readonly machines: DeploymentMachines;
  /** Ends as a process does that is asked to. */
  close(): Promise<void>;
}

export async function startReplica(with_: Surroundings, clockErrorMs: number): Promise<Replica> {
  const { world, postgres, broker, network, effects, receiver, links } = with_;
  const workerId = world.random.uuid();
  const process = world.process(workerId, clockErrorMs);
  return await world.enter(process, async () => {
    const bus = broker.connect(process);
    const store: Store = new Store({
      url: '',
      database: new SimulatedDatabase(world, postgres, network).asDatabase(),
      reserveRun: (ownerId) => worker.reserve(ownerId),
      publish(change) {
        if (change.entered !== undefined) worker.appended(change.id, change.entered);
        outbox.wake();
        bus.publish('changes', { ...hintOf(change) });
      },
    });
    const { database } = store;
    const runs = new TriggerRuns({ store, starter: new RunStarter(store, undefined), log });
    const scheduler = new Scheduler({ database, runs, bus, log, budget: undefined });
    const channel = receiver.channel();
    const outbox = new Outbox({
      database,
      channels: { webhook: channel, push: channel },
      log,
      timing: { ...OUTBOX_TIMING, delayMs: () => world.random.integer(100, 1_000) },
    });
    const machines = new DeploymentMachines({
      database,
      bus,
      replicaId: workerId,
      version: '',
      key: new ForwardingKey([KEY]),
      log,
      dial: links.dial,
    });
    const settings = new RecentSettings(database);
    const model = {
      configId: 'default',
      model: simulatedModel(world),
      settings: { context_limit: 200_000, max_output_tokens: 1000 },
    };
    const worker = new Worker({
      store,
      bus,
      workerId,
      sink: NO_SINK,
      log,
      models: { forChat: async () => model, forTitle: async () => model },
      toolboxes: [
        fixedToolbox(effectTools(world, effects)),
        ...[...postgres.machines.committed.keys()].map((id) =>
          machineToolbox(machines, id, database),
        ),
      ],
      limits: {},
      instruments: NO_INSTRUMENTS,
      settings: settings.read,
      recentSettings: settings.recent,
      beforeCall: () => Promise.resolve(),
      onFinished: () => undefined,
      leaseMs: LEASE_MS,
      sweepMs: SWEEP_MS,
      // A replica that dies together with several chats is not their fault.
      maxOwnerDeaths: 1000,
    });
    // A process that cannot reach the database exits, and is started again.
    for (;;) {
      const started = await worker.start().then(
        () => true,
        () => false,
      );
      if (started) break;
      await sleep(500);
    }
    // Both cost statements, so deployments without triggers and webhooks do not start them.
    if (postgres.triggers.committed.size > 0) await scheduler.start();
    if (postgres.webhooks.size > 0) outbox.start();
    if (postgres.machines.committed.size > 0) await machines.start(`http://${workerId}`);
    const close = async () => {
      await Promise.all([scheduler.close(), outbox.close()]);
      await machines.release();
      await worker.close();
      await machines.close();
    };
    return { process, store, runs, machines, close };
  });
}

/** Of the deployment. */
export const SETTINGS: Partial<Settings> = {
  approvals: [{ pattern: GUARDED_TOOL, action: 'ask' }],
};

const EFFECT_INPUT = z.object({ key: z.string(), ms: z.number() });

/** Tools that record how often each call ran, outside of the process that runs them. */
function effectTools(world: World, effects: Effect[]): LocalTool[] {
  const record = (key: string, what: Effect['what']) =>
    effects.push({ key, what, pid: 0, at: world.time });
  return ['count', GUARDED_TOOL].map((name) =>
    tool({
      name,
      input: EFFECT_INPUT,
      idempotent: false,
      async run({ key, ms }, { signal }) {
        record(key, 'begin');
        await sleep(ms, undefined, { signal });
        record(key, 'end');
        return { counted: key };
      },
    }),
  );
}

type Handler = (payload: Json) => void;

/** The bus between the replicas. Messages of one publisher arrive in order, or not at all. */
export class Broker {
  readonly #world: World;
  readonly #members = new Set<SimulatedBus>();
  /** The share of messages to other processes that are lost. */
  loss = 0;

  constructor(world: World) {
    this.#world = world;
  }

  connect(process: Process): Bus {
    const bus = new SimulatedBus(this, process);
    this.#members.add(bus);
    return bus;
  }

  publish(from: SimulatedBus, subject: string, payload: Json): void {
    const { random } = this.#world;
    for (const bus of this.#members) {
      if (bus === from) this.#world.after(0, () => bus.receive(subject, payload), bus.process);
      else if (!random.chance(this.loss)) {
        const at = bus.arrival(from, this.#world.now + random.integer(1, 20));
        const receive = () => bus.receive(subject, payload);
        this.#world.after(at - this.#world.now, receive, bus.process);
      }
    }
  }

  /** Messages may have been lost, and arrive again. */
  healed(): void {
    this.loss = 0;
    for (const bus of this.#members) this.#world.after(1, () => bus.gap(), bus.process);
  }
}

class SimulatedBus implements Bus {
  readonly stats = newStats();
  readonly process: Process;
  readonly #broker: Broker;
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #listeners = new Set<() => void>();
  readonly #arrivals = new Map<SimulatedBus, number>();

  constructor(broker: Broker, process: Process) {
    this.#broker = broker;
    this.process = process;
  }

  publish(subject: string, payload: Json): void {
    this.#broker.publish(this, subject, payload);
  }

  async subscribe(subject: string, handler: Handler): Promise<Subscription> {
    const handlers = this.#handlers.get(subject) ?? new Set();
    this.#handlers.set(subject, handlers.add(handler));
    return { close: async () => void handlers.delete(handler) };
  }

  onGap(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  request(): Promise<Json> {
    throw new Error('Workers send no requests.');
  }

  answer(): Promise<Subscription> {
    throw new Error('Workers answer no requests.');
  }

  async close(): Promise<void> {
    this.#handlers.clear();
  }

  /** Not before an earlier message of the same publisher. */
  arrival(from: SimulatedBus, at: number): number {
    const later = Math.max(at, this.#arrivals.get(from) ?? 0);
    this.#arrivals.set(from, later);
    return later;
  }

  receive(subject: string, payload: Json): void {
    for (const handler of this.#handlers.get(subject) ?? []) handler(payload);
  }

  gap(): void {
    for (const listener of this.#listeners) listener();
  }
}
