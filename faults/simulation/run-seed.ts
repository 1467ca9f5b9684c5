import { createHash } from 'node:crypto';
import type { Api } from '../clients/api.ts';
import { runChecks } from '../oracle/oracle.ts';
import { formatProblem } from '../oracle/problem.ts';
import { checkCommands } from '../oracle/commands.ts';
import { checkTriggers } from '../oracle/triggers.ts';
import { checkReleases } from '../oracle/connections.ts';
import { checkDeliveries } from '../oracle/deliveries.ts';
import { Client } from './client.ts';
import { Deployment } from './deployment.ts';
import { MACHINE_PID } from './machine.ts';
import { TriggerLoad } from './trigger-load.ts';
import { World } from './world.ts';

const REPLICAS = 3;
const OWNERS = 2;
/** So many that steps of several chats are committed together. */
const MOST_CLIENTS = 12;
/** The share of seeds with triggers and webhooks. */
const TRIGGER_SHARE = 0.5;
/** The share of seeds with a machine. */
const MACHINE_SHARE = 0.3;
/** Simulated time with faults: short in most seeds, so that there are many, and long in every 16th. */
const SHORT_FAULTS_MS = 8_000;
const LONG_FAULTS_MS = 40_000;
const faultsMsOf = (seed: number): number => (seed % 16 === 9 ? LONG_FAULTS_MS : SHORT_FAULTS_MS);
/** The time that the deployment then has to become idle. */
const RECOVERY_MS = 90_000;

export interface SeedResult {
  readonly problems: readonly string[];
  readonly chats: number;
  readonly messages: number;
  /** Of triggers. */
  readonly runs: number;
  /** Requests to webhooks. */
  readonly deliveries: number;
  /** Begun on machines. */
  readonly commands: number;
  /** Differs if anything that is stored differs. */
  readonly digest: string;
}

/** Simulates a deployment and its clients under random faults. The same seed gives the same result. */
export async function runSeed(seed: number): Promise<SeedResult> {
  const world = new World(seed);
  const uninstall = world.install();
  try {
    const faultsMs = faultsMsOf(seed);
    const simulation = simulate(world, faultsMs);
    await world.runUntil(faultsMs + RECOVERY_MS + 60_000, simulation);
    return await Promise.race([simulation, unfinished(world)]);
  } finally {
    uninstall();
  }
}

async function simulate(world: World, faultsMs: number): Promise<SeedResult> {
  const { random } = world;
  const deployment = new Deployment(world);
  const owners = Array.from({ length: OWNERS }, () => random.uuid());
  const triggers = random.chance(TRIGGER_SHARE) ? new TriggerLoad(deployment, owners) : undefined;
  const machineId = random.chance(MACHINE_SHARE) ? deployment.addMachine() : undefined;
  await Promise.all(Array.from({ length: REPLICAS }, () => deployment.startReplica()));
  const clients = Array.from(
    { length: random.pick([1, 2, 3, 4, 4, MOST_CLIENTS]) },
    (_, index) =>
      new Client(
        deployment,
        `c${index}`,
        random.pick(owners),
        machineId === undefined ? [] : ['execute', 'execute', 'execute'],
      ),
  );
  deployment.startMachine();
  const answering = clients.map((client) => client.answer(faultsMs + RECOVERY_MS));
  const faults = disturb(deployment, faultsMs);
  const loads = clients.map((client) => client.converse(faultsMs));
  await Promise.all([...loads, faults, triggers?.deliver(faultsMs)]);
  await idle(deployment);
  void answering;
  const automated = await triggers?.evidence();
  const acknowledged = clients
    .filter(({ isUncertain }) => !isUncertain)
    .flatMap((client) => client.acknowledged)
    .concat((automated && triggers?.acknowledged(automated)) ?? []);
  const problems = await runChecks({
    records: deployment.postgres,
    // Streams are not part of the simulation.
    api: undefined as unknown as Api,
    viewers: [],
    acknowledged,
    effects: deployment.effects,
    rejectedPrompts: [],
    progress: 0,
  });
  const { postgres, receiver } = deployment;
  problems.push(
    ...(automated === undefined ? [] : checkTriggers(automated)),
    ...checkCommands(await postgres.messages(), deployment.effects),
    ...checkReleases(postgres.releases),
    ...checkDeliveries([...postgres.outbox.committed.values()], receiver.received),
  );
  const stored = JSON.stringify([
    await postgres.moves(),
    await postgres.messages(),
    [...postgres.triggerRuns.committed.values()],
    receiver.received,
  ]);
  return {
    problems: problems.map(formatProblem),
    runs: postgres.triggerRuns.committed.size,
    deliveries: receiver.received.length,
    commands: deployment.effects.filter(({ pid, what }) => pid === MACHINE_PID && what === 'begin')
      .length,
    chats: postgres.committed.size,
    messages: acknowledged.length,
    digest: createHash('sha256').update(stored).digest('hex'),
  };
}

async function disturb(deployment: Deployment, faultsMs: number): Promise<void> {
  const { world } = deployment;
  while (world.now < faultsMs) {
    await world.sleep(world.random.integer(100, 4_000));
    const fault = deployment.disturb();
    // Some faults meet others.
    if (world.random.chance(0.7)) await fault;
    else void fault.catch(() => undefined);
  }
}

/** Waits until no chat has anything to do, but not forever. */
async function idle({ world, postgres }: Deployment): Promise<void> {
  const end = world.now + RECOVERY_MS;
  const isBusy = () =>
    some(postgres.committed, ({ row: { status } }) => status !== 'waiting' && status !== 'error') ||
    some(postgres.triggerRuns.committed, ({ ended_at }) => ended_at === null) ||
    some(
      postgres.triggers.committed,
      ({ next_fire_at: next }) => next !== null && next <= soon(),
    ) ||
    some(postgres.outbox.committed, ({ state }) => state === 'pending');
  const soon = () => new Date(world.time + RECOVERY_MS);
  do await world.sleep(1_000);
  while (isBusy() && world.now < end);
}

const some = <Row>(rows: ReadonlyMap<string, Row>, is: (row: Row) => boolean): boolean => {
  for (const row of rows.values()) if (is(row)) return true;
  return false;
};

const unfinished = async (world: World): Promise<SeedResult> => {
  await Promise.resolve();
  return {
    problems: [`the simulation did not end within ${world.now} ms of its time`],
    chats: 0,
    messages: 0,
    runs: 0,
    deliveries: 0,
    commands: 0,
    digest: '',
  };
};
