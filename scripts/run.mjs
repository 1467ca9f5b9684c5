// Runs one of the repository's scripts on a bare checkout: `node scripts/run.mjs SCRIPT [ARGUMENTS]`.
// Needs Node 18 and npm and nothing else; brings a newer Node and the dependencies when they are missing.
import { ensureDependencies } from './run/dependencies.mjs';
import { ensureNode } from './run/node-runtime.mjs';
import { pathWith, runScript } from './run/process.mjs';
import { RunError } from './run/run-error.mjs';
import { endBy, holdSignals, Interrupted } from './run/signals.mjs';

const [script, ...args] = process.argv.slice(2);

holdSignals();
try {
  if (script === undefined) {
    throw new RunError(
      'No script was named.',
      'Use the scripts of package.json, for example: npm test',
    );
  }
  // Both at once: they are most of what somebody waits for at the first start. npm runs on the Node that is there.
  const [node] = await allDone([ensureNode(), ensureDependencies(process.execPath)]);
  await runScript(node, script, args, { ...process.env, PATH: pathWith(node) });
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

/** Not before all have ended: what goes on after us would write into a checkout that nobody expects to change. */
async function allDone(promises) {
  const settled = await Promise.allSettled(promises);
  for (const { status, reason } of settled) if (status === 'rejected') throw reason;
  return settled.map(({ value }) => value);
}
