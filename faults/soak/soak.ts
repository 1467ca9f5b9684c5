import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTemporaryDirectory } from '../../packages/server/test/support/temporary-directory.ts';
import { type BusKind, Deployment } from '../deployment/deployment.ts';
import type { Postgres } from '../deployment/postgres.ts';
import { CHECKS } from '../oracle/oracle.ts';
import { EventLog, type Sample } from './event-log.ts';
import { SoakOracle } from './oracle.ts';
import { Counts } from './counts.ts';
import { disturb } from './disturber.ts';
import { EffectLedger } from './effect-ledger.ts';
import { seed } from './seed.ts';
import { makeNoise } from './noise.ts';
import { PatientWitness } from './patient-witness.ts';
import { live } from './person.ts';
import { seeded } from './random.ts';
import { sawNoProgress } from './progress.ts';

export interface SoakOptions {
  readonly postgres: Postgres;
  readonly bus: BusKind;
  readonly minutes: number;
  /** Go on for so long at most, until everything has happened that belongs to a soak. */
  readonly atMostMinutes?: number;
  /** One of them is never restarted. */
  readonly replicas: number;
  readonly people: number;
  readonly restartEverySeconds: number;
  /** 0: never. */
  readonly crashEveryMinutes: number;
  readonly sampleEverySeconds: number;
  readonly seed: number;
  readonly now: () => number;
  /** For somebody who watches. */
  readonly onSample: (sample: Sample, eventLog: EventLog, problems: number) => void;
  readonly onProblem: (problem: string) => void;
}

export interface Soaked {
  readonly eventLog: EventLog;
  readonly counts: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
  /** There were more than these. */
  readonly problemsFound: number;
}

const PROBLEMS_KEPT = 200;

/** What can be asked of the whole database at the end, when the notes of chats that were judged are gone. */
const IN_THE_END = [
  'nothingIsStuck',
  'nothingFailed',
  'usablePrompts',
  'oneResultEach',
  'oneCommitEach',
  'versionsGrow',
] as const satisfies readonly (keyof typeof CHECKS)[];

/** Everything at once, for as long as it is told. */
export async function soak(options: SoakOptions): Promise<Soaked> {
  const { postgres, bus, replicas, now } = options;
  // Replicas of one machine that share their folder share its workspaces.
  const home = await makeTemporaryDirectory();
  const deployment = await Deployment.start({
    postgres,
    bus,
    replicas,
    forgetful: true,
    // All people are one user.
    settings: { log_level: 'warn', data_dir: home, rate_limit: 24_000 },
  });
  const witness = new PatientWitness(deployment.databaseUrl);
  const ledger = new EffectLedger(deployment.effectsFile);
  const eventLog = new EventLog(now);
  const counts = new Counts();
  const problems: string[] = [];
  let found = 0;
  const complain = (problem: string) => {
    found += 1;
    if (problems.length < PROBLEMS_KEPT) problems.push(problem);
    options.onProblem(problem);
  };
  try {
    const seedData = await seed(deployment);
    const oracle = new SoakOracle({ deployment, witness, ledger, counts, complain });
    const end = new AbortController();
    const stop = end.signal;
    const people = Array.from({ length: options.people }, (_, index) =>
      live({
        index,
        people: options.people,
        api: deployment.api,
        deployment,
        witness,
        seedData,
        counts,
        random: seeded(options.seed + index),
        stop,
        retire: oracle.retire,
        complain,
      }),
    );
    const disturbing = disturb({
      deployment,
      counts,
      stop,
      now,
      restartEveryMs: options.restartEverySeconds * 1000,
      crashEveryMs: options.crashEveryMinutes > 0 ? options.crashEveryMinutes * 60_000 : undefined,
      onDisturbance: (what, replica) => eventLog.disturbed(what, replica),
    });
    const noise = makeNoise({
      deployment,
      counts,
      stop,
      quietMs: Math.min(4 * 60_000, options.minutes * 15_000),
      noisyMs: Math.min(60_000, options.minutes * 10_000),
    });
    const look = async () => {
      countFaults(counts, deployment);
      options.onSample(await eventLog.take(deployment, witness, counts), eventLog, found);
    };
    while (!isOver(options, eventLog, counts)) {
      await look();
      await sleep(options.sampleEverySeconds * 1000);
    }
    end.abort();
    await Promise.all([disturbing, noise, ...people]);
    await oracle.close();
    await look();
    for (const problem of await lastJudgement(deployment, witness, ledger)) complain(problem);
    for (const problem of sawNoProgress(eventLog.samples, eventLog.disturbances)) {
      complain(problem);
    }
    return { eventLog, counts: counts.all(), problems, problemsFound: found };
  } finally {
    await ledger.close();
    await witness.close();
    await deployment.close();
    await rm(home, { recursive: true, force: true });
  }
}

function isOver(options: SoakOptions, { elapsedMs }: EventLog, counts: Counts): boolean {
  const { minutes, atMostMinutes = minutes } = options;
  const elapsed = elapsedMs / 60_000;
  return elapsed >= atMostMinutes || (elapsed >= minutes && counts.allHappened());
}

function countFaults(counts: Counts, { model }: Deployment): void {
  const kinds = {
    'rate limits of the provider': '429 with retry-after',
    'answers cut by the provider': 'reset mid-stream',
  } as const;
  for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) {
    counts.add(kind, (model.failures.get(kinds[kind]) ?? 0) - counts.of(kind));
  }
}

async function lastJudgement(
  deployment: Deployment,
  witness: PatientWitness,
  ledger: EffectLedger,
): Promise<string[]> {
  const { api, model } = deployment;
  const evidence = {
    witness,
    api,
    acknowledged: [],
    viewers: [],
    effects: [],
    rejectedPrompts: model.provider.rejected,
    progress: 0,
  };
  const problems = await Promise.all(
    IN_THE_END.map(async (name) =>
      (await CHECKS[name](evidence)).map((problem) => `${name}: ${problem}`),
    ),
  );
  const late = (await ledger.left()).map(
    ({ key, what }) => `tool call ${key}: ${what} after its chat had come to rest`,
  );
  const prompts = model.wrongPrompts.map((problem) => `prompts: ${problem}`);
  return [...problems.flat(), ...late, ...prompts];
}
