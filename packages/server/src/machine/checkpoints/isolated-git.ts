import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import type { AgentAccount } from '../drivers/host/agent-account.ts';
import type { Directories } from '../drivers/host/directories.ts';
import type { SandboxSupport } from '../drivers/host/sandbox-probe.ts';
import { systemOf } from '../drivers/host/system.ts';

/*
 * Git for checkpoints, in a sandbox of its own that contains the workspace and the store of its checkpoints. An agent may
 * swap a folder for a link at any time. To save, the workspace is read-only; to restore, the store is. So a link can
 * neither lead out of the workspace nor damage the store.
 */

const PATH = '/usr/local/bin:/usr/bin:/bin';
const INSIDE = { files: '/workspace', store: '/checkpoints', source: '/source' } as const;
/** The first checkpoint of a large workspace takes long; a malicious one would take forever. */
const TIME_LIMIT_MS = 5 * 60_000;
const MAX_STDERR = 2000;

/** Waits for a script of a process that was killed. In a sandbox, it ends soon after that process; else it completes. */
const LOCK = `if command -v flock >/dev/null; then
  exec 9<"$GIT_DIR/lock"
  flock 9
fi`;

export interface IsolatedGitOptions {
  readonly directories: Directories;
  readonly account: AgentAccount | undefined;
  readonly support: SandboxSupport;
}

export interface GitScript {
  readonly script: string;
  readonly args?: readonly string[];
  /** Each character is one byte. */
  readonly stdin?: string;
  /** Readable as file descriptors 3, 4, and so on. */
  readonly more?: readonly string[];
  /** What the script may change. Default: the store. */
  readonly writes?: 'store' | 'files';
  /** Another store, readable at $SOURCE. */
  readonly from?: string;
  /** Maximum output in bytes. A script that exceeds it is killed. */
  readonly limit: number;
}

export interface GitOutput {
  readonly stdout: Buffer;
  readonly cut: boolean;
}

/** A script failed. The message is the end of its error output. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
}

/** Runs a shell script in the workspace folder. `git` uses the store, and no configuration but the store's. */
export async function runGit(options: IsolatedGitOptions, request: GitScript): Promise<GitOutput> {
  const { account, support } = options;
  const command = ['/bin/sh', '-euc', `${LOCK}\n${request.script}`, 'sh', ...(request.args ?? [])];
  const [program = '', ...args] = support.works
    ? [
        ['bwrap', ...sandboxArguments(options.directories, request), '--'],
        // As root of a user namespace, the owner can read files whose permissions an agent removed.
        ['unshare', '--user', '--map-root-user', '--', ...command],
      ].flat()
    : command;
  const { files, checkpoints } = options.directories;
  const child = spawn(program, args, {
    ...account,
    cwd: support.works ? '/' : files,
    env: support.works
      ? { PATH }
      : environment({ files, store: checkpoints, source: request.from ?? '' }),
    stdio: ['pipe', 'pipe', 'pipe', ...(request.more ?? []).map(() => 'pipe' as const)],
    timeout: TIME_LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  feed(child.stdin, request.stdin);
  for (const [index, text] of (request.more ?? []).entries()) {
    feed(child.stdio[3 + index] as Writable, text);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    if (size <= request.limit) chunks.push(chunk);
    size += chunk.length;
    if (size > request.limit) child.kill('SIGKILL');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-MAX_STDERR);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => reject(new GitFailed(error.message)));
    child.once('close', resolve);
  });
  const cut = size > request.limit;
  if (code !== 0 && !cut) throw new GitFailed(stderr.trim() || `git ended with ${String(code)}`);
  return { stdout: Buffer.concat(chunks).subarray(0, request.limit), cut };
}

/** Errors are ignored: the exit of the child tells. */
function feed(pipe: Writable, text = ''): void {
  pipe.on('error', () => undefined);
  pipe.end(text, 'latin1');
}

function sandboxArguments(
  directories: Directories,
  { writes = 'store', from }: Pick<GitScript, 'writes' | 'from'>,
): string[] {
  const bind = (what: 'store' | 'files') => (what === writes ? '--bind' : '--ro-bind');
  return [
    ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net'],
    ['--die-with-parent', '--new-session', '--clearenv'],
    Object.entries(environment(INSIDE)).flatMap(([name, value]) => ['--setenv', name, value]),
    systemOf().programs.flatMap(({ path, link }) =>
      link === undefined ? ['--ro-bind', path, path] : ['--symlink', link, path],
    ),
    ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    [bind('files'), directories.files, INSIDE.files],
    [bind('store'), directories.checkpoints, INSIDE.store],
    from === undefined ? [] : ['--ro-bind', from, INSIDE.source],
    ['--remount-ro', '/', '--chdir', INSIDE.files],
  ].flat();
}

const environment = (at: Readonly<Record<keyof typeof INSIDE, string>>) => ({
  PATH,
  LC_ALL: 'C',
  HOME: '/nonexistent',
  GIT_DIR: at.store,
  GIT_WORK_TREE: at.files,
  SOURCE: at.source,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_TERMINAL_PROMPT: '0',
});
