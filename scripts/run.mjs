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
  const node = await ensureNode();
  await ensureDependencies(node);
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
