import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { onTestFinished } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');

export interface Example {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly output: () => string;
  kill(): Promise<void>;
}

/** Starts a program of `examples/` as its README does. */
export function startExample(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Example {
  const child = spawn(process.execPath, ['--conditions=chatd-source', ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  };
  onTestFinished(kill);
  return { child, output: () => output, kill };
}
