import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { addKnownSeeds, type KnownSeed, readKnownSeeds } from './known-seeds.ts';
import { formatDuration } from '../duration.ts';
import { runSeeds } from './run-seeds.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

/* npm run simulate -- --seeds 1000 --from 1 --jobs 2 */

const PROGRESS_MS = 30_000;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '500' },
    from: { type: 'string' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    /** The seeds that have failed before, instead of others. */
    known: { type: 'boolean', default: false },
    /** Adds seeds that fail to the known ones. */
    add: { type: 'boolean', default: false },
  },
});
const first = Number(values.from ?? Date.now() % 2 ** 31);
const seeds = values.known
  ? (await readKnownSeeds()).map(({ seed }) => seed)
  : Array.from({ length: Number(values.seeds) }, (_, index) => first + index);
const started = performance.now();
const failed: KnownSeed[] = [];
let reported = started;

const results = await runSeeds(seeds, {
  jobs: Number(values.jobs),
  onFailed: (seed, { problems }) => {
    failed.push({ seed, problem: problems[0] ?? '' });
    console.log(`seed ${seed}:\n  ${problems.join('\n  ')}`);
  },
  onProgress(finished) {
    const now = performance.now();
    if (now - reported < PROGRESS_MS) return;
    reported = now;
    const left = ((now - started) / finished) * (seeds.length - finished);
    console.error(
      `${finished.toLocaleString('en')} of ${seeds.length.toLocaleString('en')} seeds, ${failed.length} failed; about ${formatDuration(left / 1000)} left`,
    );
  },
});
if (values.add) await addKnownSeeds(failed);

const count = seeds.length;
const seconds = (performance.now() - started) / 1000;
const perMinute = Math.round((count / seconds) * 60).toLocaleString('en');
const { user, system } = process.cpuUsage();
const cpuMs = ((user + system) / 1000 / count).toFixed(1);
const sum = (of: (one: (typeof results)[number]) => number) =>
  results.reduce((total, result) => total + of(result), 0);
const digest = createHash('sha256');
for (const result of results) digest.update(result.digest);
console.log(
  [
    values.known ? `${count} known seeds` : `${count} seeds from ${first}`,
    `: ${sum(({ chats }) => chats)} chats, ${sum(({ messages }) => messages)} messages`,
    `, ${sum(({ runs }) => runs)} runs of triggers, ${sum(({ deliveries }) => deliveries)} webhook requests`,
    `, ${sum(({ commands }) => commands)} commands on machines, ${failed.length} failed`,
    `, ${perMinute} seeds a minute, ${cpuMs} ms of CPU each, digest ${digest.digest('hex').slice(0, 12)}`,
  ].join(''),
);
if (failed.length > 0) process.exitCode = 1;
