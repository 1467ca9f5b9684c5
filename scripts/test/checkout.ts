import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';

const SCRIPTS = join(import.meta.dirname, '..');
export const UNREACHABLE = 'http://127.0.0.1:9/';

/** A checkout with the scripts and one local dependency, not installed, in a path with a space. */
export async function checkout(
  files: Record<string, string>,
  options: { registry?: string | undefined; dependency?: string } = { registry: UNREACHABLE },
): Promise<string> {
  const parent = await realpath(await mkdtemp(join(tmpdir(), 'chatd-run-')));
  onTestFinished(() => rm(parent, { recursive: true, force: true, maxRetries: 5 }));
  const root = join(parent, 'a checkout');
  await mkdir(join(root, 'packages'), { recursive: true });
  await cp(join(SCRIPTS, 'run.mjs'), join(root, 'scripts', 'run.mjs'));
  await cp(join(SCRIPTS, 'run'), join(root, 'scripts', 'run'), { recursive: true });
  for (const name of ['one', 'two']) {
    await mkdir(join(root, 'vendor', name), { recursive: true });
    const manifest = { name: 'dep', version: '1.0.0', type: 'module', exports: './index.js' };
    await writeFile(join(root, 'vendor', name, 'package.json'), JSON.stringify(manifest));
    await writeFile(join(root, 'vendor', name, 'index.js'), `export default '${name}';`);
  }
  await writeFile(
    join(root, 'package.json'),
    JSON.stringify({
      type: 'module',
      private: true,
      scripts: { start: 'exec node scripts/run.mjs serve.ts' },
      dependencies: { dep: options.dependency ?? 'file:vendor/one' },
    }),
  );
  await writeFile(
    join(root, '.npmrc'),
    [
      'fetch-retries=0',
      ...(options.registry === undefined ? [] : [`registry=${options.registry}`]),
      `cache=${join(parent, 'cache')}`,
    ].join('\n'),
  );
  for (const [name, text] of Object.entries(files)) await writeFile(join(root, name), text);
  return root;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly end: Promise<Ended>;
  says(text: string): Promise<void>;
}

export function run(root: string, ...args: string[]): Promise<Ended> {
  return start(root, args).end;
}

/** Runs a script of the checkout like npm. Default: with the Node of the tests. */
export function start(
  root: string,
  args: readonly string[],
  { node = process.execPath, terminal = false, env = {} } = {},
): Started {
  const command = [node, join(root, 'scripts', 'run.mjs'), ...args];
  const quoted = command.map((word) => `'${word}'`).join(' ');
  return launch(root, terminal ? ['script', '-qec', quoted, '/dev/null'] : command, env);
}

export function startNpm(root: string, script: string): Started {
  return launch(root, ['npm', 'run', script]);
}

function launch(
  root: string,
  [program = '', ...args]: string[],
  more: Readonly<Record<string, string>> = {},
): Started {
  const { npm_execpath: _npm, ...env } = process.env;
  const child = spawn(program, args, { cwd: root, env: { ...env, ...more } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const end = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return {
    child,
    end,
    async says(text) {
      await vi.waitFor(() => expect(stdout + stderr).toContain(text), { timeout: 50_000 });
    },
  };
}
