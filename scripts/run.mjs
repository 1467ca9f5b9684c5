// Runs a script of the repository: `node scripts/run.mjs SCRIPT [ARGUMENTS]`. Requires only Node 18 and npm;
// downloads a newer Node and the dependencies if they are missing.
import { join } from 'node:path';
import { ensureDependencies } from './run/dependencies.mjs';
import { ensureNode } from './run/node-runtime.mjs';
import { pathWith, runScript } from './run/process.mjs';
import { OWN_DIRECTORY } from './run/root.mjs';
import { RunError } from './run/run-error.mjs';
import { endBy, holdSignals, Interrupted } from './run/signals.mjs';

const [script, ...args] = process.argv.slice(2);

/** Node keeps the compiled modules of these, so that the next start is faster and does not load the TypeScript compiler. */
const CACHED = ['scripts/start.ts', 'packages/cli/src/main.ts', 'faults/simulation/main.ts'];
const cache = CACHED.includes(script) && {
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(OWN_DIRECTORY, 'compile-cache'),
};

holdSignals();
try {
  if (script === undefined) {
    throw new RunError(
      'No script given.',
      'Use the scripts in package.json, for example: npm test',
    );
  }
  // Concurrently, because both are slow on the first start. npm runs on the current Node.
  const [node] = await allDone([ensureNode(), ensureDependencies(process.execPath)]);
  await runScript(node, script, args, { ...process.env, ...cache, PATH: pathWith(node) });
} catch (error) {
  if (error instanceof Interrupted) {
    endBy(error.signal);
  } else if (error instanceof RunError) {
    console.error(`\nchatd: ${error.message}\n${error.hint}`);
    process.exitCode = 1;
  } else {
    throw error;
  }
}

/** Waits for all promises even if one rejects, so that nothing writes into the checkout after the process exits. */
async function allDone(promises) {
  const settled = await Promise.allSettled(promises);
  for (const { status, reason } of settled) if (status === 'rejected') throw reason;
  return settled.map(({ value }) => value);
}
