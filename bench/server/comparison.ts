import type { Measurement, ServerRow } from '../report/server-data.ts';
import { median } from '../report/statistics.ts';
import { type Case, measure, setSteps, warmUp } from './measure.ts';
import type { Host, StartProgram } from './programs.ts';

export interface Contestant {
  readonly name: string;
  readonly start: StartProgram;
  /** By round, which starts at 1. */
  readonly cases: (round: number) => readonly Case[];
}

export interface Outcome {
  readonly rows: readonly ServerRow[];
  readonly failures: readonly string[];
}

/** Measures each program in each of its cases. In every round, programs start with an empty database, in random order. */
export async function compare(
  contestants: readonly Contestant[],
  host: Host,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<Outcome> {
  const runs: (Measurement & { readonly name: string })[] = [];
  const failures: string[] = [];
  const attempt = async (what: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      console.error(`  ${what} failed: ${String(error)}`);
      failures.push(`${what}: ${String(error)}`);
    }
  };
  const visit = async ({ name, start, cases }: Contestant, round: number) => {
    const subject = await start(host, runOf(name, round));
    await setSteps(host, 5);
    await warmUp(subject.url);
    for (const one of cases(round)) {
      const { steps, history, concurrency } = one;
      const what = `${name}: ${steps} steps, history ${history}, concurrency ${concurrency}`;
      await attempt(what, async () => {
        const result = await measure(subject, host, one, seconds);
        runs.push({ name, ...result });
        console.error(
          `  ${what}: ${result.stepsPerSecond.toFixed(0)} steps/s, ${result.totalCpu.toFixed(2)} CPU s per 1,000 steps`,
        );
      });
    }
  };
  for (let round = 1; round <= rounds; round += 1) {
    console.error(`round ${round} of ${rounds}`);
    for (const contestant of shuffled(contestants)) {
      if (contestant.cases(round).length === 0) continue;
      await attempt(`${contestant.name}, round ${round}`, () => visit(contestant, round));
      await host.processes.close();
      const database = runOf(contestant.name, round);
      await host.database.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
    }
  }
  const groups = Map.groupBy(
    runs,
    ({ name, steps, history, concurrency }) => `${name} ${steps} ${history} ${concurrency}`,
  );
  return { rows: [...groups.values()].map(medians), failures };
}

/** The name of its database and its directory. */
const runOf = (name: string, round: number) => `${name.replaceAll('-', '_')}_${round}`;

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, key: Math.random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

function medians(runs: readonly (Measurement & { readonly name: string })[]): ServerRow {
  const [first] = runs;
  if (first === undefined) throw new Error('no runs');
  const of = (key: keyof Measurement) => median(runs.map((run) => run[key] ?? Number.NaN));
  return {
    ...first,
    rounds: runs.length,
    stepsPerSecond: of('stepsPerSecond'),
    peerCpu: of('peerCpu'),
    storeCpu: of('storeCpu'),
    totalCpu: of('totalCpu'),
    firstTurnCpu: first.firstTurnCpu === null ? null : of('firstTurnCpu'),
    firstTextP50: of('firstTextP50'),
    firstTextP99: of('firstTextP99'),
    residentMb: of('residentMb'),
    walPerStep: first.walPerStep === null ? null : of('walPerStep'),
    commitsPerStep: first.commitsPerStep === null ? null : of('commitsPerStep'),
    foreignShare: of('foreignShare'),
  };
}
