import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { CannotOpen, type Limits } from '../driver.ts';
import type { Account } from './account.ts';
import { bwrapArguments, type Sandbox } from './bwrap-arguments.ts';
import type { Cgroup } from './cgroup.ts';
import { INSIDE } from './directories.ts';
import { FrameReader } from './inside/frames.ts';
import { Link } from './link.ts';
import type { ToolFiles } from './tool-files.ts';

const PATIENCE_MS = 20_000;
const HELLO = z.object({ event: z.literal('hello'), shell: z.string() });
const INFO = z.object({ 'child-pid': z.number() });
const INFO_FD = 3;
const BLOCK_FD = 4;
const ARGUMENTS_FD = 5;
/** Collects as it should, and does not need more: most of it is for bytes on their way. */
const NODE_FLAGS = ['--max-old-space-size=128', '--max-semi-space-size=4'];

export interface Launch {
  readonly tools: ToolFiles;
  readonly account: Account | undefined;
  readonly limits: Limits;
  readonly onEnd: () => void;
}

/** Everything the agent starts in this box lives in namespaces that end with its first process. */
export async function launchSandbox(
  sandbox: Omit<Sandbox, 'blockFd' | 'infoFd' | 'node' | 'script' | 'passwd' | 'group'>,
  launch: Launch,
  cgroup: Cgroup | undefined,
): Promise<Link> {
  const { tools, account } = launch;
  const args = bwrapArguments({ ...sandbox, ...tools, infoFd: INFO_FD, blockFd: BLOCK_FD });
  const program = [
    '/bin/sh',
    '-c',
    `${limitLines(launch.limits)}exec "$@"`,
    'sh',
    `${INSIDE.tools}/node`,
    ...NODE_FLAGS,
    `${INSIDE.tools}/inside/main.js`,
    INSIDE.root,
    'alone',
    ...(cgroup === undefined ? dataLimit(launch.limits) : []),
  ];
  // The arguments go through a pipe: a command line is for everybody on the machine to read.
  const child = spawn('bwrap', ['--args', String(ARGUMENTS_FD), ...program], {
    ...account,
    cwd: '/',
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  const pipes: readonly unknown[] = child.stdio;
  const given = pipes[ARGUMENTS_FD] as Writable;
  given.on('error', () => undefined);
  given.end(args.join('\0'));
  const started = async () => {
    const info = pipes[INFO_FD] as Readable;
    const json = await text(info);
    if (json === '') return;
    // It waits for us before it starts anything, so nothing gets away from its limits.
    cgroup?.add(INFO.parse(JSON.parse(json))['child-pid']);
    const block = pipes[BLOCK_FD] as Writable;
    block.on('error', () => undefined);
    block.end('go');
  };
  return await link(child, { ...launch, root: INSIDE.root, sandboxed: true, started });
}

/** Only the account and the limits are left between the agent and the machine. */
export async function launchBare(
  directories: Sandbox['directories'],
  env: Readonly<Record<string, string>>,
  launch: Launch,
): Promise<Link> {
  const { tools, account } = launch;
  const script = [`${tools.script}/main.js`, directories.files, 'shared'];
  const program = [tools.node, ...NODE_FLAGS, ...script, ...dataLimit(launch.limits)];
  const child = spawn(
    '/bin/sh',
    ['-c', `${limitLines(launch.limits)}exec "$@"`, 'sh', ...program],
    { ...account, cwd: directories.files, env, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  return await link(child, { ...launch, root: directories.files, sandboxed: false });
}

/** What each process is held to, and who goes first when the machine runs out of memory. */
function limitLines({ processes }: Limits): string {
  const lines = ['ulimit -c 0', 'echo 500 >/proc/self/oom_score_adj'];
  // dash and bash have different letters for it. Our own Node has threads, which count.
  const most = processes === undefined ? undefined : processes + OWN_THREADS;
  if (most !== undefined) lines.push(`ulimit -u ${most} || ulimit -p ${most}`);
  return lines.map((line) => `{ ${line}; } 2>/dev/null; `).join('');
}

const OWN_THREADS = 16;

/** Without a control group each command is held to the limit, not all of them together. */
const dataLimit = ({ memory_mb }: Limits) =>
  memory_mb === undefined ? [] : [String(memory_mb * 1024)];

interface Linking extends Launch {
  readonly root: string;
  readonly sandboxed: boolean;
  readonly started?: () => Promise<void>;
}

async function link(given: ChildProcess, linking: Linking): Promise<Link> {
  // It was spawned with pipes.
  const child = given as ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable };
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaint = (complaint + chunk).slice(-2000);
  });
  child.stdin.on('error', () => undefined);
  const gone = Promise.withResolvers<never>();
  gone.promise.catch(() => undefined);
  child.once('error', (error) => gone.reject(new CannotOpen(error.message)));
  child.once('close', () => gone.reject(new CannotOpen(complaint.trim() || 'it ended at once')));
  const timer = setTimeout(() => {
    gone.reject(new CannotOpen(`it did not start in time. ${complaint}`));
  }, PATIENCE_MS);
  const reader = new FrameReader();
  try {
    const [hello] = await Promise.race([
      Promise.all([firstFrame(child.stdout, reader), linking.started?.()]),
      gone.promise,
    ]);
    return new Link({
      child,
      reader,
      hello,
      root: linking.root,
      sandboxed: linking.sandboxed,
      onEnd: linking.onEnd,
      patienceMs: PATIENCE_MS,
    });
  } catch (error) {
    child.kill('SIGKILL');
    linking.onEnd();
    throw error instanceof CannotOpen ? error : new CannotOpen(String(error));
  } finally {
    clearTimeout(timer);
  }
}

function firstFrame(stdout: Readable, reader: FrameReader): Promise<z.output<typeof HELLO>> {
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer) => {
      try {
        for (const { header } of reader.push(chunk)) {
          stdout.off('data', take);
          stdout.pause();
          resolve(HELLO.parse(header));
        }
      } catch (error) {
        reject(error);
      }
    };
    stdout.on('data', take);
  });
}
