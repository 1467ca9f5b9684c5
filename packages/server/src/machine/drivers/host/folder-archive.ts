import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstat, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type AgentAccount, agentAccount } from './agent-account.ts';
import { type Directories, makeDirectories } from './directories.ts';
import { allowTraversal } from './allow-traversal.ts';
import { probeSandbox } from './sandbox-probe.ts';
import { systemOf } from './system.ts';

/*
 * The files of a workspace as a tar archive, written and read by GNU tar in a sandbox that contains nothing but the
 * workspace. An agent may swap a folder for a link during archiving: tar works with file descriptors and follows no
 * links, and a link in the sandbox leads nowhere. GNU tar also handles sparse files, file names in any encoding, and
 * restores modes last.
 */

const PATH = '/usr/local/bin:/usr/bin:/bin';
const INSIDE = '/workspace';
/** Temporary files are not archived. */
const MEMBERS = ['files', 'home'];

const CREATE = [
  ['--create', '--file=-', '--format=gnu', '--sparse', '--verbose', '--quoting-style=escape'],
  ['--one-file-system', '--ignore-failed-read', '--numeric-owner', '--owner=0', '--group=0'],
].flat();
const EXTRACT = [
  ['--extract', '--file=-', '--preserve-permissions', '--no-same-owner'],
  ['--delay-directory-restore'],
].flat();

interface ArchiveResult {
  /** Undefined: success. */
  readonly error: string | undefined;
  readonly entries: number;
}

interface FolderArchive {
  readonly bytes: Readable;
  readonly result: Promise<ArchiveResult>;
  cancel(): void;
}

export async function archiveFolder({ base, files }: Directories): Promise<FolderArchive> {
  const owner = process.geteuid?.() === 0 ? await ownerOf(files) : undefined;
  const child = await startTar(base, owner, [...CREATE, '--', ...MEMBERS], '--ro-bind');
  child.stdin.end();
  return { bytes: child.stdout, result: resultOf(child), cancel: () => child.kill('SIGKILL') };
}

export interface FolderExtraction {
  readonly target: Writable;
  readonly result: Promise<ArchiveResult>;
}

export async function extractFolder(directories: Directories): Promise<FolderExtraction> {
  const { base } = directories;
  const account = await agentAccount();
  await mkdir(dirname(base), { recursive: true });
  await makeDirectories(directories, account);
  await allowTraversal([dirname(dirname(base)), dirname(base), base], account);
  const child = await startTar(base, account, EXTRACT, '--bind');
  child.stdout.resume();
  child.stdin.on('error', () => undefined);
  return { target: child.stdin, result: resultOf(child) };
}

type Tar = ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable };

async function startTar(
  base: string,
  account: AgentAccount | undefined,
  args: readonly string[],
  bind: '--bind' | '--ro-bind',
): Promise<Tar> {
  const support = await probeSandbox(account);
  // As root of a user namespace, the owner can read folders whose permissions an agent removed.
  const tar = ['unshare', '--user', '--map-root-user', '--', 'tar', ...args];
  const [program = '', ...rest] = support.works
    ? ['bwrap', ...sandboxArguments(base, bind), '--', ...tar]
    : ['tar', `--directory=${base}`, ...args];
  const child = spawn(program, rest, {
    ...account,
    cwd: '/',
    env: { PATH, LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined);
  return child;
}

function sandboxArguments(base: string, bind: string): string[] {
  return [
    ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net'],
    ['--die-with-parent', '--new-session', '--clearenv', '--setenv', 'PATH', PATH],
    ['--setenv', 'LC_ALL', 'C'],
    systemOf().programs.flatMap(({ path, link }) =>
      link === undefined ? ['--ro-bind', path, path] : ['--symlink', link, path],
    ),
    ['--proc', '/proc', '--dev', '/dev', bind, base, INSIDE, '--remount-ro', '/'],
    ['--chdir', INSIDE],
  ].flat();
}

/** The owner of the files, regardless of who makes the backup. */
async function ownerOf(files: string): Promise<AgentAccount | undefined> {
  const { uid, gid } = await lstat(files);
  return uid === 0 ? undefined : { uid, gid };
}

/** Exit code of tar if files changed or disappeared while they were read. The archive is intact. */
const CHANGED = 1;

async function resultOf(child: Tar): Promise<ArchiveResult> {
  let entries = 0;
  let line = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (line + chunk).split('\n');
    line = lines.pop() ?? '';
    for (const one of lines) {
      if (MEMBERS.some((member) => one.startsWith(`${member}/`))) entries += 1;
      else stderr = `${stderr}${one}\n`.slice(-1000);
    }
  });
  const failed = new Promise<string>((resolve) => child.once('error', (e) => resolve(e.message)));
  const closed = once(child, 'close').then(([code]) =>
    code === 0 || code === CHANGED ? undefined : stderr.trim() || `tar exited with ${String(code)}`,
  );
  return { error: await Promise.race([closed, failed]), entries };
}
