/*
 * `npm run bench`: runs all benchmarks. With `--keep` it stores the results and updates the docs. Run it on an idle
 * machine.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureSystemPackages } from '../scripts/system-packages.ts';
import { type Benchmark, BENCHMARKS } from './benchmarks.ts';
import { conclude } from './report/conclude.ts';
import { type BenchmarkRun, runReport } from './report/run.ts';
import { foreignShare, machineBusySeconds } from './server/usage.ts';
import { parseArgs } from '../scripts/parse-args.ts';

const HEARTBEAT_MS = 30_000;
/** The machine writes pages of the last benchmark to the disk. */
const SETTLE_MS = 5000;
const IDLE_SECONDS = 5;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: BENCHMARKS.map(({ name }) => name).join(',') },
    quick: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const wanted = values.only.split(',');
const unknown = wanted.find((name) => BENCHMARKS.every((benchmark) => benchmark.name !== name));
if (unknown !== undefined) {
  const names = BENCHMARKS.map(({ name }) => name).join(', ');
  console.error(`Unknown benchmark: ${unknown}. Available: ${names}.`);
  process.exit(2);
}

const say = (words: string) => void process.stderr.write(`${words}\n`);
const minutesSince = (start: number) => (performance.now() - start) / 60_000;
const formatMinutes = (minutes: number) => `${minutes.toFixed(1)} min`;

let running: ReturnType<typeof spawn> | undefined;
let stopped = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    stopped = true;
    // The terminal sends Ctrl-C to all processes of its foreground group.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) running?.kill(signal);
  });
}

async function run(name: string, file: string, args: readonly string[]): Promise<number> {
  const start = performance.now();
  const alive = setInterval(
    () => say(`    ${name} running for ${formatMinutes(minutesSince(start))}`),
    HEARTBEAT_MS,
  );
  running = spawn(
    process.execPath,
    ['--conditions=chatd-source', join(import.meta.dirname, file), ...args],
    { stdio: 'inherit' },
  );
  const [code] = (await once(running, 'exit')) as [number | null];
  clearInterval(alive);
  return code ?? 1;
}

function argsOf({ args, quick }: Benchmark): string[] {
  return [...(values.quick ? quick : args), ...(values.keep ? ['--keep'] : [])];
}

/** Share of the machine that is in use although no benchmark runs. */
async function shareOfOthers(): Promise<number> {
  await sleep(SETTLE_MS);
  const [start, busy] = [performance.now(), machineBusySeconds()];
  await sleep(IDLE_SECONDS * 1000);
  return foreignShare(machineBusySeconds() - busy, 0, (performance.now() - start) / 1000);
}

await ensureSystemPackages({ all: false });
const selected = BENCHMARKS.filter(({ name }) => wanted.includes(name));
const began = performance.now();
const ends: string[] = [];
const done: BenchmarkRun[] = [];
for (const [at, benchmark] of selected.entries()) {
  if (stopped) break;
  const { name, file } = benchmark;
  const time = values.quick ? '' : `, about ${benchmark.minutes} min`;
  say(`\n== ${name} (${at + 1} of ${selected.length}${time})`);
  const othersBefore = values.quick ? 0 : await shareOfOthers();
  const start = performance.now();
  const code = await run(name, file, argsOf(benchmark));
  const minutes = minutesSince(start);
  const end = code === 0 ? 'done' : `failed with ${code}`;
  if (code === 0) done.push({ name, minutes, othersBefore });
  else process.exitCode = 1;
  const others = `${(100 * othersBefore).toFixed(0)} % of the machine used by others before`;
  ends.push(`${name.padEnd(11)} ${end}, ${formatMinutes(minutes)}, ${others}`);
}
if (values.keep && done.length === BENCHMARKS.length) {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  await conclude(runReport, { data: { commit, benchmarks: done } }, values);
}
if (values.keep && !stopped) {
  say('\n== figures');
  if ((await run('figures', 'report/main.ts', [])) !== 0) process.exitCode = 1;
}
say(`\n${ends.join('\n')}\n${'all'.padEnd(11)} ${formatMinutes(minutesSince(began))}`);
if (stopped) process.exitCode = 130;
