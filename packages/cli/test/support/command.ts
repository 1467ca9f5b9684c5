import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export const MAIN = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
/** The command line for a shell. */
export const COMMAND = `'${process.execPath}' --conditions=chatd-source '${MAIN}'`;

export interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  readonly output: () => { stdout: string; stderr: string };
  /** Resolves when stderr contains the text. */
  readonly said: (text: string) => Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

/** Independent of the environment of the tests. */
export const environment = (env: Environment): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  LANG: 'C.UTF-8',
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
  ...env,
});

/** Starts `chatd …`. */
export function launch(args: readonly string[], env: Environment = {}): Running {
  const child = spawn(process.execPath, ['--conditions=chatd-source', MAIN, ...args], {
    env: environment(env),
  });
  return follow(child);
}

/** Runs `chatd …` to its end. Default for stdin: empty. */
export async function chatd(
  args: readonly string[],
  { env = {}, input = '' }: { env?: Environment; input?: string | Uint8Array } = {},
): Promise<Ended> {
  const { child, ended } = launch(args, env);
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return await ended;
}

/** Runs a line in bash, in which `chatd` is the command. */
export async function bash(
  line: string,
  { env = {}, cwd }: { env?: Environment; cwd?: string } = {},
): Promise<Ended> {
  const child = spawn('bash', ['-c', `chatd() { ${COMMAND} "$@"; }\n${line}`], {
    env: environment(env),
    ...(cwd !== undefined && { cwd }),
  });
  child.stdin.end();
  return await follow(child).ended;
}

function follow(child: ChildProcessWithoutNullStreams): Running {
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => ({
    code: (code ?? signal) as number | string,
    stdout,
    stderr,
  }));
  return {
    child,
    ended,
    output: () => ({ stdout, stderr }),
    async said(text) {
      while (!stderr.includes(text)) await once(child.stderr, 'data');
    },
  };
}
