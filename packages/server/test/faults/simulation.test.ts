import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/*
 * Runs in threads of another process, whose clocks and timers it replaces. Repeat a failing seed with
 * --from SEED --seeds 1; --add adds it to the known seeds.
 */
const exhaustive = process.env['CHATD_TEST_ALL'] === '1';
const SEEDS = exhaustive ? 5_000 : 30;
/** Random seeds only in exhaustive runs: a test run of a change must not fail because of an earlier change. */
const FROM = exhaustive ? [] : ['--from', '1'];
const run = promisify(execFile);
const MAIN = new URL('../../../../faults/simulation/main.ts', import.meta.url).pathname;

async function simulate(...args: string[]): Promise<string> {
  try {
    return (await run(process.execPath, ['--conditions=chatd-source', MAIN, ...args])).stdout;
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

test(`all guarantees hold for ${SEEDS} seeds`, { timeout: 7_200_000 }, async () => {
  expect(await simulate('--seeds', String(SEEDS), ...FROM)).toMatch(/, 0 failed,/);
});

/** The digest of the known seeds. */
async function replay(jobs: string): Promise<string | undefined> {
  const output = await simulate('--known', '--jobs', jobs);
  expect(output).toMatch(/, 0 failed,/);
  return /digest (\w+)/.exec(output)?.[1];
}

test('known seeds pass and produce the same events each time', { timeout: 600_000 }, async () => {
  const first = await replay('1');
  expect(first).toBeDefined();
  // Other threads, in another order.
  expect(await replay('2')).toBe(first);
});
