import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import type { TestProjectInlineConfiguration } from 'vitest/config';

const exhaustive = process.env['CHATD_TEST_ALL'] === '1';
/** `npm run test:all` runs the exhaustive files after the ordinary ones; by hand there may be both in a run. */
const files = process.env['CHATD_TEST_FILES'];
const EXHAUSTIVE = '**/*.all.test.*';
const UNITS = 'src/**';
const included = files === 'exhaustive' ? [EXHAUSTIVE] : ['**/*.test.ts', '**/*.test.tsx'];
const excluded = [
  '**/node_modules/**',
  '**/dist/**',
  ...(exhaustive && files !== 'ordinary' ? [] : [EXHAUSTIVE]),
];

/**
 * Our own packages are tested from their sources, as they run in the repository. Those of others as Node finds them:
 * without `module`, which is for bundlers and may name files that Node cannot load.
 */
const conditions = ['chatd-source', 'node', 'development|production'];

/** What a package's tests need before they start; only run when one of its test files is. */
const POSTGRES = join(import.meta.dirname, 'packages/test-server/src/global-setup.ts');
const globalSetup: Record<string, string[]> = {
  'packages/server': [POSTGRES],
  'packages/client': [POSTGRES],
  'packages/cli': [POSTGRES],
  'packages/web': [
    POSTGRES,
    join(import.meta.dirname, 'packages/web/test/support/web-ui-for-the-run.ts'),
  ],
};

const folders = [
  'scripts',
  ...readdirSync('packages')
    .map((name) => `packages/${name}`)
    .filter((folder) => existsSync(`${folder}/package.json`)),
];

/** A folder instead of a root: projects with the same root share one Vite server, and so transformed modules. */
function project(folder: string): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      dir: join(import.meta.dirname, folder),
      name: folder.slice(folder.lastIndexOf('/') + 1),
      globalSetup: globalSetup[folder] ?? [],
      include: included,
      exclude: [...excluded, UNITS],
    },
  };
}

/**
 * The tests next to the sources. They share the modules of a worker, which saves loading the same modules for every
 * file; what one replaces through `vi` is restored after it.
 */
const units: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    dir: join(import.meta.dirname, 'packages'),
    name: 'units',
    include: [`*/${UNITS}/*.test.{ts,tsx}`],
    exclude: excluded,
    globalSetup: [POSTGRES],
    isolate: false,
    setupFiles: [join(import.meta.dirname, 'scripts/test/restore.ts')],
  },
};

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    projects: [...folders.map(project), ...(files === 'exhaustive' ? [] : [units])],
    // Child processes of tests resolve our packages as the tests do.
    execArgv: ['--conditions=chatd-source'],
    setupFiles: [join(import.meta.dirname, 'scripts/test/seed.ts')],
    // Of the exhaustive ones each has the machine to itself: they install, build, and run whole deployments.
    maxWorkers: files === 'exhaustive' ? 1 : Math.min(4, Math.max(2, availableParallelism())),
    // Only for what hangs: what a test waits for has a limit of its own. Exhaustive ones are a long way in one test.
    testTimeout: exhaustive ? 240_000 : 120_000,
    hookTimeout: exhaustive ? 240_000 : 120_000,
    teardownTimeout: 60_000,
    reporters: ['default', './scripts/progress-reporter.ts', './scripts/summary-reporter.ts'],
  },
});
