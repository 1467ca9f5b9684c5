import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { pathWith, run } from './process.mjs';
import { RunError } from './run-error.mjs';
import { throwIfInterrupted } from './signals.mjs';

const QUIET = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--loglevel=error',
];

/** Runs npm with all output on stderr, because stdout belongs to the script. */
export async function npm(args, { node, cwd, what }) {
  const [program, ...first] = npmCommand(node);
  const { code, signal } = await run(program, [...first, ...args, ...QUIET], {
    cwd,
    env: { ...process.env, PATH: pathWith(node) },
    stdio: ['ignore', 2, 2],
  });
  throwIfInterrupted();
  if (code === 0) return;
  throw new RunError(
    `npm failed ${what} (${signal === null ? `exit code ${code}` : signal}); see its output above.`,
    'Check the network and proxy settings with `npm ping` and `npm config get registry`, then run the same command again.',
  );
}

/** The npm that started this process, if any: a machine may have several. */
function npmCommand(node) {
  const starter = process.env['npm_execpath'];
  if (starter !== undefined && basename(starter) === 'npm-cli.js' && existsSync(starter)) {
    return [node, starter];
  }
  return ['npm'];
}
