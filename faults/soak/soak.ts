import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { type BusKind, Deployment } from '../deployment/deployment.ts';
import type { Postgres } from '../deployment/postgres.ts';
import { CHECKS } from '../oracle/oracle.ts';
import { EventLog, type Sample } from './event-log.ts';
import { SoakOracle } from './oracle.ts';
import { Counts } from './counts.ts';
import { injectFaults } from './fault-injector.ts';
import { EffectLedger } from './effect-ledger.ts';
import { seed } from './seed.ts';
import { makeNoise } from './noise.ts';
import { RetryingWitness } from './retrying-witness.ts';
import { simulateUser } from './simulated-user.ts';
import { SoakMachine } from './soak-machine.ts';
import { seeded } from './random.ts';
import { missingLoad } from './progress.ts';

export interface SoakOptions {
  readonly postgres: Postgres;
  readonly bus: BusKind;
  readonly minutes: number;
  /** Continue up to this time until all kinds of load have occurred. Default: `minutes`. */
  readonly atMostMinutes?: number;
  /** One of them is never restarted. */
  readonly replicas: number;
  readonly users: number;
  readonly restartEverySeconds: number;
  /** 0: never. */
  readonly crashEveryMinutes: number;
  readonly sampleEverySeconds: number;
  readonly seed: number;
  readonly now: () => number;
  readonly onSample: (sample: Sample, eventLog: EventLog, problems: number) => void;
  readonly onProblem: (problem: string) => void;
}

export interface SoakRun {
  readonly eventLog: EventLog;
  readonly counts: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
  /** Total number; `problems` is truncated. */
  readonly problemsFound: number;
}

const PROBLEMS_KEPT = 200;

/** Checks of the whole database that do not need the witness records of checked chats. */
const FINAL_CHECKS = [
  'noStuckChats',
  'noFailedChats',
  'validPrompts',
  'callsHaveResults',
  'oneResultPerCall',
  'oneCommitPerAttempt',
  'versionsIncreaseByOne',
] as const satisfies readonly (keyof typeof CHECKS)[];

/** Runs all kinds of load concurrently while faults are injected. */
export async function soak(options: SoakOptions): Promise<SoakRun> {
  const { postgres, bus, replicas, now } = options;
  // Replicas with the same data directory share its workspaces.
  const home = await makeTemporaryDirectory();
  const deployment = await Deployment.start({
    postgres,
    bus,
    replicas,
    // All simulated users share one account.
    settings: { log_level: 'warn', data_dir: home, rate_limit: 24_000 },
  });
  const witness = new RetryingWitness(deployment.databaseUrl);
  const ledger = new EffectLedger(deployment.effectsFile);
  const eventLog = new EventLog(now);
  const counts = new Counts();
  const problems: string[] = [];
  let found = 0;
  const report = (problem: string) => {
    found += 1;
    if (problems.length < PROBLEMS_KEPT) problems.push(problem);
    options.onProblem(problem);
  };
  const machine = await SoakMachine.create(deployment, home);
  try {
    const seedData = await seed(deployment, machine);
    const oracle = new SoakOracle({ deployment, witness, ledger, counts, report });
    const end = new AbortController();
    const stop = end.signal;
    const simulatedUsers = Array.from({ length: options.users }, (_, index) =>
      simulateUser({
        index,
        users: options.users,
        api: deployment.api,
        deployment,
        witness,
        seedData,
        counts,
        random: seeded(options.seed + index),
        stop,
        finish: oracle.add,
        report,
      }),
    );
    const faultInjection = injectFaults({
      deployment,
      machine,
      counts,
      stop,
      now,
      restartEveryMs: options.restartEverySeconds * 1000,
      crashEveryMs: options.crashEveryMinutes > 0 ? options.crashEveryMinutes * 60_000 : undefined,
      onFault: (what, replica) => eventLog.addFault(what, replica),
    });
    const noise = makeNoise({
      deployment,
      counts,
      stop,
      quietMs: Math.min(4 * 60_000, options.minutes * 15_000),
      noisyMs: Math.min(60_000, options.minutes * 10_000),
    });
    const sample = async () => {
      countFaults(counts, deployment);
      options.onSample(await eventLog.take(deployment, witness, counts), eventLog, found);
    };
    while (!isOver(options, eventLog, counts)) {
      await sample();
      await sleep(options.sampleEverySeconds * 1000);
    }
    end.abort();
    await Promise.all([faultInjection, noise, ...simulatedUsers]);
    await oracle.close();
    await sample();
    for (const problem of await finalChecks(deployment, witness, ledger)) report(problem);
    for (const problem of missingLoad(eventLog.samples, eventLog.faults)) {
      report(problem);
    }
    return { eventLog, counts: counts.all(), problems, problemsFound: found };
  } finally {
    await ledger.close();
    await witness.close();
    await machine.close();
    await deployment.close();
    await rm(home, { recursive: true, force: true });
  }
}

function isOver(options: SoakOptions, { elapsedMs }: EventLog, counts: Counts): boolean {
  const { minutes, atMostMinutes = minutes } = options;
  const elapsed = elapsedMs / 60_000;
  return elapsed >= atMostMinutes || (elapsed >= minutes && counts.allOccurred());
}

function countFaults(counts: Counts, { model }: Deployment): void {
  const kinds = {
    'provider rate limits': '429 with retry-after',
    'responses reset by the provider': 'reset mid-stream',
  } as const;
  for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) {
    counts.add(kind, (model.failures.get(kinds[kind]) ?? 0) - counts.of(kind));
  }
}

async function finalChecks(
  deployment: Deployment,
  witness: RetryingWitness,
  ledger: EffectLedger,
): Promise<string[]> {
  const { api, model } = deployment;
  const evidence = {
    records: witness,
    api,
    acknowledged: [],
    viewers: [],
    effects: [],
    rejectedPrompts: model.provider.rejected,
    progress: 0,
  };
  const problems = await Promise.all(
    FINAL_CHECKS.map(async (name) =>
      (await CHECKS[name](evidence)).map((problem) => `${name}: ${problem}`),
    ),
  );
  const late = (await ledger.remaining()).map(
    ({ key, what }) => `tool call ${key}: ${what} after the check of its chat`,
  );
  const prompts = model.promptProblems.map((problem) => `prompts: ${problem}`);
  return [...problems.flat(), ...late, ...prompts];
}
