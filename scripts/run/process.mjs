import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { RunError } from './run-error.mjs';
import { endBy, onSignal } from './signals.mjs';

export function pathWith(node) {
  return `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}`;
}

/** Ends as the script ends: with its exit code, or by the signal that ended it. */
export async function runScript(node, script, args, env) {
  const { code, signal } = await run(
    node,
    ['--conditions=chatd-source', '--disable-warning=ExperimentalWarning', script, ...args],
    { env, stdio: 'inherit' },
  );
  if (signal === null) process.exitCode = code;
  else endBy(signal);
}

/** Runs a program to its end. Signals are passed on to it, and we wait: whoever waits for us waits for it. */
export function run(program, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, options);
    const off = onSignal((signal) => {
      if (signal !== 'SIGINT' || !terminalTellsEverybody()) child.kill(signal);
    });
    child.once('error', (error) => {
      off();
      const message = `${program} could not be started: ${error.message}`;
      reject(new RunError(message, 'Check that it is installed and may be run.'));
    });
    child.once('exit', (code, signal) => {
      off();
      resolve({ code, signal });
    });
  });
}

/**
 * Ctrl-C reaches every process of the terminal's foreground group by itself; passing it on as well would make it two,
 * and a second Ctrl-C means "at once" to a server that is shutting down in order.
 */
function terminalTellsEverybody() {
  if (process.platform !== 'linux') return process.stdin.isTTY;
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [group, foregroundGroup] = [fields[2], fields[5]];
  return group === foregroundGroup;
}
