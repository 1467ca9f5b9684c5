import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { WorkspaceOpenError, type SandboxLimits } from '../driver.ts';
import type { AgentAccount } from './agent-account.ts';
import { bwrapArguments, type BwrapOptions } from './bwrap-arguments.ts';
import type { AddressRange } from '../network/address-policy.ts';
import type { Cgroup } from './cgroup.ts';
import { INSIDE } from './directories.ts';
import { connectNamespace, inNetworkNamespace, type NetworkProcess } from './internet.ts';
import { seccompFilter } from './seccomp.ts';
import { FrameReader } from './inside/frames.ts';
import { HostSandbox } from './host-sandbox.ts';
import type { ToolFiles } from './tool-files.ts';

const TIMEOUT_MS = 20_000;
const HELLO = z.object({ event: z.literal('hello'), shell: z.string() });
const INFO = z.object({ 'child-pid': z.number() });
const INFO_FD = 3;
const BLOCK_FD = 4;
const ARGUMENTS_FD = 5;
const SECCOMP_FD = 6;
/** Used only with an internet-connected network namespace. */
const NAMESPACE_FDS = { ready: 7, go: 8 };
/** Small heap: the program mostly forwards bytes. */
const NODE_FLAGS = ['--max-old-space-size=128', '--max-semi-space-size=4'];

interface InternetAccess {
  readonly privateRanges: readonly AddressRange[];
}

export interface Launch {
  readonly tools: ToolFiles;
  readonly account: AgentAccount | undefined;
  readonly limits: SandboxLimits;
  readonly onEnd: () => void;
}

/** Starts a sandbox. All processes live in namespaces that end with its first process. */
export async function launchSandbox(
  sandbox: Omit<
    BwrapOptions,
    'blockFd' | 'infoFd' | 'seccompFd' | 'network' | Exclude<keyof ToolFiles, number>
  >,
  launch: Launch,
  cgroup: Cgroup | undefined,
  internet: InternetAccess | undefined,
): Promise<HostSandbox> {
  const { tools, account, limits } = launch;
  const filter = seccompFilter();
  const args = bwrapArguments({
    ...sandbox,
    ...tools,
    network: internet === undefined ? 'own' : 'shared',
    infoFd: INFO_FD,
    blockFd: BLOCK_FD,
    seccompFd: filter && SECCOMP_FD,
  });
  const inside = [
    ['/bin/sh', '-c', `${limitLines(limits, cgroup !== undefined)}exec "$@"`, 'sh'],
    [`${INSIDE.tools}/node`, ...NODE_FLAGS, `${INSIDE.tools}/inside/main.js`],
    [INSIDE.root, 'alone', cgroup === undefined ? dataLimit(limits) : ''],
    sandbox.proxySocket === undefined ? [] : [INSIDE.proxySocket, String(INSIDE.proxyPort)],
  ].flat();
  // Through a pipe, because every user of the host can read command lines.
  const command = ['bwrap', '--args', String(ARGUMENTS_FD), ...inside] as const;
  const [program, ...programArguments] =
    internet === undefined
      ? command
      : inNetworkNamespace(command, internet.privateRanges, NAMESPACE_FDS);
  const extra = internet === undefined ? [] : (['pipe', 'pipe'] as const);
  const child = spawn(program, programArguments, {
    ...account,
    cwd: '/',
    env: { PATH: process.env['PATH'] },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', ...extra],
  });
  const pipes: readonly unknown[] = child.stdio;
  send(pipes[ARGUMENTS_FD], args.join('\0'));
  send(pipes[SECCOMP_FD], filter ?? '');
  let network: NetworkProcess | undefined;
  let ended = false;
  const started = async () => {
    if (internet !== undefined && child.pid !== undefined) {
      if ((await firstBytes(pipes[NAMESPACE_FDS.ready])) === '') return;
      network = await connectNamespace(child.pid);
      if (ended) network.close();
      if (network.pid !== undefined) cgroup?.add(network.pid);
      send(pipes[NAMESPACE_FDS.go], 'go\n');
    }
    const json = await text(pipes[INFO_FD] as Readable);
    if (json === '') return;
    // bubblewrap waits for this before it starts the command, so that all processes get the limits.
    cgroup?.add(INFO.parse(JSON.parse(json))['child-pid']);
    send(pipes[BLOCK_FD], 'go');
  };
  const onEnd = () => {
    ended = true;
    network?.close();
    launch.onEnd();
  };
  return await link(child, { ...launch, onEnd, root: INSIDE.root, sandboxed: true, started });
}

/** Writes the whole content. Errors are ignored: the exit of the child is handled elsewhere. */
function send(pipe: unknown, content: string | Uint8Array): void {
  const stream = pipe as Writable;
  stream.on('error', () => undefined);
  stream.end(content);
}

/** Empty: the other end closed without writing. */
async function firstBytes(pipe: unknown): Promise<string> {
  for await (const chunk of pipe as Readable) return String(chunk);
  return '';
}

/** Starts the program without isolation: only the account and the limits protect the host. */
export async function launchBare(
  directories: BwrapOptions['directories'],
  env: Readonly<Record<string, string>>,
  launch: Launch,
): Promise<HostSandbox> {
  const { tools, account } = launch;
  const script = [`${tools.script}/main.js`, directories.files, 'shared'];
  const program = [tools.node, ...NODE_FLAGS, ...script, dataLimit(launch.limits)];
  const child = spawn(
    '/bin/sh',
    ['-c', `${limitLines(launch.limits, false)}exec "$@"`, 'sh', ...program],
    { ...account, cwd: directories.files, env, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  return await link(child, { ...launch, root: directories.files, sandboxed: false });
}

/** Limits for each process, and its priority when the host runs out of memory. */
function limitLines({ processes, disk_mb }: SandboxLimits, hasCgroup: boolean): string {
  const lines = ['ulimit -c 0', 'echo 500 >/proc/self/oom_score_adj'];
  // The option differs between dash and bash. The threads of the program inside count too.
  const most = processes === undefined ? undefined : processes + OWN_THREADS;
  if (most !== undefined) lines.push(`ulimit -u ${most} || ulimit -p ${most}`);
  if (disk_mb !== undefined) lines.push(`ulimit -f ${disk_mb * FILE_BLOCKS_PER_MB}`);
  // A control group limits CPU shares instead.
  if (!hasCgroup) lines.push(`renice -n ${NICENESS} -p $$ >/dev/null`);
  return lines.map((line) => `{ ${line}; } 2>/dev/null; `).join('');
}

/** `ulimit -f` counts blocks of 512 bytes in POSIX shells and of 1024 in bash: a file never exceeds twice the limit. */
const FILE_BLOCKS_PER_MB = 2048;
const NICENESS = 5;
const OWN_THREADS = 16;

/** Without a control group, the limit applies to each command separately. */
const dataLimit = ({ memory_mb }: SandboxLimits) =>
  memory_mb === undefined ? '' : String(memory_mb * 1024);

interface Linking extends Launch {
  readonly root: string;
  readonly sandboxed: boolean;
  readonly started?: () => Promise<void>;
}

async function link(given: ChildProcess, linking: Linking): Promise<HostSandbox> {
  // Spawned with pipes.
  const child = given as ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable };
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-2000);
  });
  child.stdin.on('error', () => undefined);
  const gone = Promise.withResolvers<never>();
  gone.promise.catch(() => undefined);
  child.once('error', (error) => gone.reject(new WorkspaceOpenError(error.message)));
  child.once('close', () =>
    gone.reject(new WorkspaceOpenError(stderr.trim() || 'the sandbox exited at startup')),
  );
  const timer = setTimeout(() => {
    gone.reject(new WorkspaceOpenError(`the sandbox did not start in time. ${stderr}`));
  }, TIMEOUT_MS);
  const reader = new FrameReader();
  try {
    const [hello] = await Promise.race([
      Promise.all([firstFrame(child.stdout, reader), linking.started?.()]),
      gone.promise,
    ]);
    return new HostSandbox({
      child,
      reader,
      hello,
      root: linking.root,
      sandboxed: linking.sandboxed,
      onEnd: linking.onEnd,
      patienceMs: TIMEOUT_MS,
    });
  } catch (error) {
    child.kill('SIGKILL');
    linking.onEnd();
    throw error instanceof WorkspaceOpenError ? error : new WorkspaceOpenError(String(error));
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
