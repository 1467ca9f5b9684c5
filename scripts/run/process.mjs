import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { RunError } from './run-error.mjs';
import { endBy, onSignal } from './signals.mjs';

export function pathWith(node) {
  return `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}`;
}

/** Exits like the script, with its exit code or signal. */
export async function runScript(node, script, args, env) {
  const { code, signal } = await run(
    node,
    ['--conditions=chatd-source', '--disable-warning=ExperimentalWarning', script, ...args],
    { env, stdio: 'inherit' },
  );
  if (signal === null) process.exitCode = code;
  else endBy(signal);
}

/** Runs a program, forwards signals to it and waits for it. */
export function run(program, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, options);
    const off = onSignal((signal) => {
      if (signal !== 'SIGINT' || !inForegroundGroup()) child.kill(signal);
    });
    child.once('error', (error) => {
      off();
      const message = `Cannot start ${program}: ${error.message}`;
      reject(new RunError(message, 'Check that it is installed and executable.'));
    });
    child.once('exit', (code, signal) => {
      off();
      resolve({ code, signal });
    });
  });
}

/**
 * The terminal sends Ctrl-C to all processes of its foreground group. Forwarding it as well would deliver it twice, and a
 * second Ctrl-C makes the server exit immediately.
 */
function inForegroundGroup() {
  if (process.platform !== 'linux') return process.stdin.isTTY;
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [group, foregroundGroup] = [fields[2], fields[5]];
  return group === foregroundGroup;
}
