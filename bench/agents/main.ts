/*
 * `npm run bench:agents`: agents that stream text at a fixed rate, with one viewer each. Measures the CPU per delta and
 * the delivery delay, and searches for the largest number of agents that one core serves. The measured program has a
 * core of its own; the provider, the viewers and PostgreSQL share the others.
 */
import { type ChildProcess, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { startExternalPostgres } from '@chatd/test-server/programs';
import { monotonicMs } from '../load/clock.ts';
import { type AgentsData, agentsReport, type AgentsRow } from '../report/agents.ts';
import { conclude } from '../report/conclude.ts';
import { median } from '../report/statistics.ts';
import { installedVersions, postgresVersion } from '../report/versions.ts';
import { freePort, listens, pidOf, ProcessGroup } from '../server/environment.ts';
import { usageOf } from '../server/usage.ts';
import { type Host, PROGRAMS, type RunningProgram } from './programs.ts';
import { largestPassing } from './search.ts';
import type { Audience, Sighting } from './viewers.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(PROGRAMS).join(',') },
    /** Agents of the first measurement, deltas per second and agent, duration of each measurement. */
    agents: { type: 'string', default: '50' },
    rate: { type: 'string', default: '25' },
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '3' },
    /** Largest p99 of the delivery delay in the search, in milliseconds. */
    limit: { type: 'string', default: '100' },
    /** Share of the result. */
    precision: { type: 'string', default: '0.08' },
    keep: { type: 'boolean', default: false },
  },
});
const [agents, rate, seconds, rounds, limitMs] = [
  Number(values.agents),
  Number(values.rate),
  Number(values.seconds),
  Number(values.rounds),
  Number(values.limit),
];
const START_MS = 1500;
const SETTLE_MS = 1500;
/** After the measured time, so that no agent has finished before its end. */
const REST_MS = 1000;
const TURN_SECONDS = (START_MS + SETTLE_MS + REST_MS) / 1000 + seconds;
/** Of the deltas of all agents. */
const MIN_SHARE = 0.95;
const MAX_AGENTS = 4000;

/** Moves this process, and with it all that it starts, off the last core. Returns that core. */
function reserveCore(): number | undefined {
  const last = availableParallelism() - 1;
  if (last < 1) return undefined;
  const args = ['--all-tasks', '--pid', '--cpu-list', `0-${last - 1}`, String(process.pid)];
  if (spawnSync('taskset', args).status !== 0) throw new Error('taskset failed');
  return last;
}

const core = reserveCore();
const processes = new ProcessGroup();
const programs = new ProcessGroup();
const postgres = await startExternalPostgres({
  settings: { fsync: 'on', synchronous_commit: 'on', max_connections: '200' },
});

async function startProvider(): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const child = processes.start(join(import.meta.dirname, 'provider.ts'), {
    args: [String(port), String(rate), String(TURN_SECONDS)],
  });
  await listens(port);
  return { url: `http://127.0.0.1:${port}`, child };
}

interface Viewers {
  readonly child: ChildProcess;
  readonly watch: (audience: Audience) => Promise<Sighting>;
}

function startViewers(): Viewers {
  const child = programs.start(join(import.meta.dirname, 'viewers.ts'), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  if (child.stdout === null) throw new Error('the viewers have no stdout');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const watch = async (audience: Audience) => {
    child.stdin?.write(`${JSON.stringify(audience)}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the viewers exited');
    return JSON.parse(value) as Sighting;
  };
  return { child, watch };
}

interface Probe extends Sighting {
  readonly cpuMicros: number;
  readonly residentMb: number;
  /** All agents had started, and the program passed on their deltas as fast as they came. */
  readonly keptUp: boolean;
}

async function probe(
  { child, url, body, headers }: RunningProgram,
  load: { readonly provider: ChildProcess; readonly viewers: Viewers },
  count: number,
): Promise<Probe> {
  const fromMs = monotonicMs() + START_MS + SETTLE_MS;
  const untilMs = fromMs + seconds * 1000;
  const viewers = Array.from({ length: count }, (_, index) => ({
    url,
    body,
    headers: headers[index % headers.length] ?? {},
  }));
  const watching = load.viewers.watch({ viewers, startMs: START_MS, fromMs, untilMs });
  const read = () => ({
    program: usageOf([pidOf(child)]),
    load: usageOf([pidOf(load.provider), pidOf(load.viewers.child)]),
  });
  await sleep(fromMs - monotonicMs());
  const before = read();
  await sleep(untilMs - monotonicMs());
  const after = read();
  const seen = await watching;
  if (seen.failures.length > 0) throw new Error(seen.failures.join('\n'));
  const expected = count * Math.round(TURN_SECONDS * rate);
  if (seen.deltas !== expected) {
    throw new Error(`the viewers received ${seen.deltas} of ${expected} deltas`);
  }
  const cpuMicros =
    ((after.program.cpuSeconds - before.program.cpuSeconds) * 1e6) / Math.max(1, seen.count);
  const share = seen.count / (count * rate * seconds);
  const loadCores = (after.load.cpuSeconds - before.load.cpuSeconds) / seconds;
  console.error(
    `    ${count} agents: ${cpuMicros.toFixed(0)} µs per delta, p50 ${seen.p50} ms, p99 ${seen.p99} ms, ` +
      `${(100 * share).toFixed(0)} % of the rate; provider and viewers: ${loadCores.toFixed(2)} cores`,
  );
  const { residentMb } = after.program;
  return { ...seen, cpuMicros, residentMb, keptUp: share >= MIN_SHARE };
}

async function visit(
  name: string,
  host: Host,
  provider: ChildProcess,
  round: number,
): Promise<AgentsRow> {
  console.error(`  ${name}`);
  const start = PROGRAMS[name];
  if (start === undefined) throw new Error(`unknown program: ${name}`);
  const program = await start(host, `${name.toLowerCase()}_${round}`);
  const load = { provider, viewers: startViewers() };
  try {
    // The first measurement is the warm-up.
    await probe(program, load, agents);
    const fixed = await probe(program, load, agents);
    const passes = async (count: number): Promise<boolean> => {
      try {
        const { p99, keptUp } = await probe(program, load, count);
        return p99 < limitMs && keptUp;
      } catch (error) {
        console.error(`    ${count} agents: ${String(error)}`);
        return false;
      }
    };
    const precision = Number(values.precision);
    const perCore = await largestPassing(passes, { start: agents * 2, precision, max: MAX_AGENTS });
    const { cpuMicros, p50, p99, residentMb } = fixed;
    return { name, cpuMicros, p50, p99, residentMb, perCore };
  } finally {
    await programs.close();
  }
}

async function run(): Promise<void> {
  const provider = await startProvider();
  const host: Host = {
    processes: programs,
    databaseUrl: postgres.url,
    folder: postgres.directory,
    providerUrl: provider.url,
    core,
  };
  const rows: AgentsRow[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    console.error(`round ${round} of ${rounds}`);
    const names = values.only.split(',');
    // A rotating order: no program always runs first.
    for (const index of names.keys()) {
      const name = names[(index + round) % names.length] ?? '';
      rows.push(await visit(name, host, provider.child, round));
    }
  }
  const data: AgentsData = {
    rate,
    agents,
    seconds,
    rounds,
    limitMs,
    programs: values.only.split(',').map((name) => medians(name, rows)),
  };
  const versions = {
    PostgreSQL: await postgresVersion(postgres.url),
    ...installedVersions('ai', '@ai-sdk/openai-compatible'),
  };
  await conclude(agentsReport, { data, versions }, { keep: values.keep });
}

function medians(name: string, rows: readonly AgentsRow[]): AgentsRow {
  const own = rows.filter((row) => row.name === name);
  const of = (metric: Exclude<keyof AgentsRow, 'name'>) => median(own.map((row) => row[metric]));
  return {
    name,
    cpuMicros: of('cpuMicros'),
    p50: of('p50'),
    p99: of('p99'),
    residentMb: of('residentMb'),
    perCore: of('perCore'),
  };
}

try {
  await run();
} finally {
  await programs.close();
  await processes.close();
  await postgres.stop();
}
process.exit();
