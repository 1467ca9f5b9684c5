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

/** npm's words go to standard error: standard output is the script's. */
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
    `npm failed ${what} (${signal === null ? `exit code ${code}` : signal}); its own words are above.`,
    'Without a network, or behind a proxy: check `npm ping` and `npm config get registry`. ' +
      'Then run the same command again.',
  );
}

/** The npm that started us, if one did: there may be several on a machine. */
function npmCommand(node) {
  const starter = process.env['npm_execpath'];
  if (starter !== undefined && basename(starter) === 'npm-cli.js' && existsSync(starter)) {
    return [node, starter];
  }
  return ['npm'];
}
