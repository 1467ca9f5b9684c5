import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { BareMachine } from './bare-machine.ts';

/** Both run concurrently. */
const DOWNLOADING = 'downloading Node and dependencies';

/** Output that marks the start of a stage. */
const BEGINNINGS: readonly (readonly [words: string, stage: string])[] = [
  ['downloading Node', DOWNLOADING],
  ['installing dependencies', DOWNLOADING],
  ['building the web UI', 'building the web UI'],
  ['Unpacking PostgreSQL', 'database setup, server startup'],
];

export interface Started {
  readonly child: ChildProcess;
  readonly signInUrl: string;
  readonly seconds: Readonly<Record<string, number>>;
}

/** Runs the quick start command until the server is ready, and times each stage. */
export async function start(command: string, machine: BareMachine): Promise<Started> {
  const child = spawn('bash', ['-c', command], {
    cwd: machine.folder,
    env: machine.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const seconds: Record<string, number> = {};
  let stage = 'npm startup';
  let since = performance.now();
  const begin = (next: string): void => {
    const now = performance.now();
    seconds[stage] = (seconds[stage] ?? 0) + (now - since) / 1000;
    [stage, since] = [next, now];
  };
  const signInUrl = await new Promise<string>((resolve, reject) => {
    const read = (line: string): void => {
      console.log(`  ${line}`);
      const next = BEGINNINGS.find(([words]) => line.includes(words))?.[1];
      if (next !== undefined && next !== stage) begin(next);
      const [, url] = /sign in: (\S+)/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    };
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', read);
    }
    child.once('exit', (code) => reject(new Error(`${command} exited with ${code}.`)));
    child.once('error', reject);
  });
  begin('');
  return { child, signInUrl, seconds };
}

/** Stops the server like Ctrl-C. */
export async function stop({ child }: Started): Promise<void> {
  const ended = new Promise((resolve) => child.once('close', resolve));
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
  await ended;
}
