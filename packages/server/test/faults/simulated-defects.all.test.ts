import { expect, test } from 'vitest';
import { MUTATIONS } from '../../../../faults/simulation/mutations.ts';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAIN = new URL('../../../../faults/simulation/find-mutations.ts', import.meta.url).pathname;

/* A check that finds nothing when the program is broken proves nothing. */
test.each(MUTATIONS)(
  'the simulation finds the defect: $name',
  { timeout: 3_600_000 },
  async ({ name }) => {
    const args = ['--conditions=chatd-source', MAIN, '--seeds', '500', '--only', name];
    const { stdout } = await run(process.execPath, args).catch((error: unknown) => ({
      stdout: (error as { readonly stdout: string }).stdout,
    }));
    expect(stdout).toMatch(/^found after/m);
  },
);
