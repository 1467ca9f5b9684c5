import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from '../../server/src/postgres/process-identity.ts';
import { ApiClient } from './api-client.ts';
import { ADMIN_TOKEN } from './server.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'server', 'src', 'main.ts');

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** All of stdout and stderr so far. */
  output(): { stdout: string; stderr: string };
  readonly client: ApiClient;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
}

export interface RunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A program with the arguments of `chatd`. Default: the server of this repository. */
  readonly program?: string;
}

/** Runs `chatd …` to its end. */
export async function runToEnd(
  command: readonly string[],
  options: RunOptions = {},
): Promise<{ code: number | string; stdout: string; stderr: string }> {
  const { ended, output } = launch(command, options);
  const code = await ended;
  return { code, ...output() };
}

/** Starts a server in its own process. Resolves when it is ready. */
export async function spawnServer(
  dataDir: string,
  options: RunOptions = {},
): Promise<ServerProcess> {
  const { child, output, ended, ready } = launch(
    ['serve', '--data-dir', dataDir, '--listen', '127.0.0.1:0', ...(options.args ?? [])],
    options,
  );
  const line = await Promise.race([ready, ended.then((code) => `ended with ${code}`)]);
  const [, url] =
    /^chatd is ready at (\S+) — sign in: \S+\/sign-in\?token=[\w-]{43}$/.exec(line) ?? [];
  if (url === undefined) throw new Error(`${line}\n${output().stderr}`);
  const client = new ApiClient(url, { authorization: `Bearer ${ADMIN_TOKEN}` });
  return { child, url, output, ended, client };
}

export function launch(command: readonly string[], { env = {}, program = MAIN }: RunOptions) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('CHATD_'));
  const child = spawn(process.execPath, ['--conditions=chatd-source', program, ...command], {
    env: { ...Object.fromEntries(inherited), CHATD_ADMIN_TOKEN: ADMIN_TOKEN, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const { promise: ready, resolve } = Promise.withResolvers<string>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (stdout.includes('\n')) resolve(stdout.split('\n')[0] ?? '');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  /** Resolves when the process has printed this on stderr. */
  const said = async (text: string) => {
    while (!stderr.includes(text)) await once(child.stderr, 'data');
  };
  const ended = once(child, 'close').then(
    ([code, signal]: unknown[]) => (code ?? signal) as number | string,
  );
  return { child, ready, ended, said, output: () => ({ stdout, stderr }) };
}

/** The pid of the PostgreSQL of a data directory, if it is running. */
export async function postgresPid(dataDir: string): Promise<number | undefined> {
  const files = await readdir(dataDir, { recursive: true });
  const file = files.find((name) => name.endsWith('postmaster.pid'));
  if (file === undefined) return undefined;
  const pid = Number.parseInt(await readFile(join(dataDir, file), 'utf8'), 10);
  return isAlive(pid) ? pid : undefined;
}
