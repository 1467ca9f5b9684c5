import { createHash } from 'node:crypto';
import type { Api } from '../clients/api.ts';
import { runChecks } from '../oracle/oracle.ts';
import { Client } from './client.ts';
import { Deployment } from './deployment.ts';
import { World } from './world.ts';

const REPLICAS = 3;
const OWNERS = 2;
/** Simulated time with faults, and the time that the deployment then has to become idle. */
const FAULTS_MS = 8_000;
const RECOVERY_MS = 60_000;

export interface SeedResult {
  readonly problems: readonly string[];
  readonly chats: number;
  readonly messages: number;
  /** Differs if anything that is stored differs. */
  readonly digest: string;
}

/** Simulates a deployment and its clients under random faults. The same seed gives the same result. */
export async function runSeed(seed: number): Promise<SeedResult> {
  const world = new World(seed);
  const uninstall = world.install();
  try {
    const simulation = simulate(world);
    await world.runUntil(FAULTS_MS + RECOVERY_MS + 60_000, simulation);
    return await Promise.race([simulation, unfinished(world)]);
  } finally {
    uninstall();
  }
}

async function simulate(world: World): Promise<SeedResult> {
  const { random } = world;
  const deployment = new Deployment(world);
  await Promise.all(Array.from({ length: REPLICAS }, () => deployment.startReplica()));
  const owners = Array.from({ length: OWNERS }, () => random.uuid());
  const clients = Array.from(
    { length: random.integer(1, 4) },
    (_, index) => new Client(deployment, `c${index}`, random.pick(owners)),
  );
  const answering = clients.map((client) => client.answer(FAULTS_MS + RECOVERY_MS));
  const faults = disturb(deployment);
  await Promise.all([...clients.map((client) => client.converse(FAULTS_MS)), faults]);
  await idle(deployment);
  void answering;
  const acknowledged = clients
    .filter(({ isUncertain }) => !isUncertain)
    .flatMap((client) => client.acknowledged);
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
  const { postgres } = deployment;
  const stored = JSON.stringify([await postgres.moves(), await postgres.messages()]);
  return {
    problems,
    chats: postgres.committed.size,
    messages: acknowledged.length,
    digest: createHash('sha256').update(stored).digest('hex'),
  };
}

async function disturb(deployment: Deployment): Promise<void> {
  const { world } = deployment;
  while (world.now < FAULTS_MS) {
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
    [...postgres.committed.values()].some(
      ({ row: { status } }) => status !== 'waiting' && status !== 'error',
    );
  do await world.sleep(1_000);
  while (isBusy() && world.now < end);
}

const unfinished = async (world: World): Promise<SeedResult> => {
  await Promise.resolve();
  return {
    problems: [`the simulation did not end within ${world.now} ms of its time`],
    chats: 0,
    messages: 0,
    digest: '',
  };
};
