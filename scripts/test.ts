import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, runChecks, tool } from './checks.ts';
import { stage } from './stage.ts';
import { addCounts, parseCounts, summaryLine } from './summary.ts';
import type { TestCounts } from './summary.ts';
import { ensureSystemPackages } from './system-packages.ts';
import { parseArgs } from './parse-args.ts';

interface Run {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

const EVERYTHING: readonly Run[] = [
  { name: 'tests', args: [], env: { CHATD_TEST_FILES: 'ordinary' } },
  {
    name: 'exhaustive tests, one file at a time',
    args: [],
    env: { CHATD_TEST_FILES: 'exhaustive' },
  },
  {
    name: "store and bus tests on the system's PostgreSQL",
    args: [
      '--project=server',
      '--project=units',
      'server/src/store',
      'test/store',
      'test/bus/postgres',
    ],
    // With another PostgreSQL, but only as many random sequences as in `npm test`.
    env: { CHATD_TEST_ALL: '0', CHATD_TEST_POSTGRES: 'external' },
  },
];

/** Random tests find bugs of earlier changes, so only `npm run test:all` has other seeds each time. */
const REPEATABLE = { CHATD_TEST_SEED: '1' };

const { values, positionals } = parseArgs({
  options: { all: { type: 'boolean', default: false } },
  allowPositionals: true,
});
// npm passes the option of `npm test --all` as an environment variable.
const all = values.all || process.env['npm_config_all'] === 'true';

process.chdir(ROOT);
await ensureSystemPackages({ all });
const failedChecks = await runChecks();
let counts: TestCounts = { passed: 0, failed: 0, skipped: 0 };
// Selected tests run once.
const runs = all && positionals.length === 0 ? EVERYTHING : [{ name: 'tests', args: positionals }];
for (const run of runs) counts = addCounts(counts, await runTests(run));
// Failed checks count as failures; passed checks do not count as tests.
counts = addCounts(counts, { passed: 0, failed: failedChecks, skipped: 0 });
console.log(`\n${summaryLine(counts)}`);
process.exitCode = counts.failed === 0 ? 0 : 1;

async function runTests({ name, args, env = {} }: Run): Promise<TestCounts> {
  const folder = mkdtempSync(join(tmpdir(), 'chatd-summary-'));
  const summary = join(folder, 'counts.json');
  const running = join(folder, 'running.txt');
  try {
    const { ok } = await stage(name, [
      {
        ...tool('vitest', 'run', ...args),
        env: {
          ...(all ? { CHATD_TEST_ALL: '1' } : REPEATABLE),
          ...process.env,
          ...env,
          CHATD_TEST_SUMMARY: summary,
          CHATD_TEST_RUNNING: running,
        },
        live: true,
      },
    ]);
    return countsOf({ summary, running }, ok);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Files {
  readonly summary: string;
  readonly running: string;
}

/** A run without a summary, or one that failed outside of its tests, counts as one failure. */
function countsOf({ summary, running }: Files, ok: boolean): TestCounts {
  let counts: TestCounts = { passed: 0, failed: 0, skipped: 0 };
  try {
    counts = parseCounts(readFileSync(summary, 'utf8'));
  } catch {
    console.log('The test run ended without a result.');
    if (existsSync(running)) console.log(readFileSync(running, 'utf8'));
  }
  return ok || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}
