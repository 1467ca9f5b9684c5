import { type ChildProcess, spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Writable } from 'node:stream';
import {
  serializeMessage,
  type Transport,
  type JSONRPCMessage,
} from '@modelcontextprotocol/client';
import type { McpProgramLimits } from '@chatd/protocol';
import { MessageReader } from './message-reader.ts';
import { StderrTail } from './stderr-tail.ts';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Null: the temporary directory. */
  readonly cwd?: string | null;
  readonly limits?: McpProgramLimits;
  /** Called once, when all of its processes have ended. */
  readonly onEnd?: () => void;
}

/**
 * Runs the program next to a watchdog, which kills the process group when file descriptor 3 closes. The server holds
 * the other end, so it closes even if the server crashes. Values are passed as arguments, so that the shell expands
 * nothing.
 */
const GUARD = '( read -r _ <&3; kill -KILL 0 ) </dev/null >/dev/null 2>&1 & exec 3<&-; exec "$@"';

/** Time between the end of its input and SIGKILL. */
const GRACE_MS = 1000;

const MESSAGE_LIMIT = 32 * 1024 * 1024;

/** An MCP server that runs as a local program, connected by stdin and stdout. It ends with this process. */
export class ChildTransport implements Transport {
  readonly #program: Program;
  readonly #reader = new MessageReader({
    maxBytes: MESSAGE_LIMIT,
    onMessage: (message) => this.onmessage?.(message),
    onError: (error) => this.onerror?.(error),
    onTooLong: () => this.#child && release(this.#child),
  });
  readonly #stderrTail = new StderrTail();
  /** The SDK recognizes programs by `pid` and this. */
  readonly stderr = null;
  #child: ChildProcess | undefined;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor(program: Program) {
    this.#program = program;
  }

  get stderrTail(): string {
    return this.#stderrTail.text;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd, limits = {}, onEnd } = this.#program;
    const directory = await workingDirectory(cwd).catch((error: unknown) => {
      onEnd?.();
      throw error;
    });
    const script = `${limitCommands(limits)}${GUARD}`;
    const child = spawn('/bin/sh', ['-c', script, 'sh', command, ...args], {
      env: { ...inherited(), ...env },
      cwd: directory,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of child.stdio) stream?.on('error', (error) => this.onerror?.(error));
    child.stderr?.on('data', (chunk: Buffer) => this.#stderrTail.add(chunk));
    child.stdout?.on('data', (chunk: Buffer) => this.#reader.read(chunk));
    child.once('exit', () => release(child));
    child.once('close', () => {
      this.#child = undefined;
      onEnd?.();
      this.onclose?.();
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        // The program never started, so there will be no exit event.
        if (child.pid === undefined) {
          this.#child = undefined;
          onEnd?.();
        }
        reject(error);
      });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    const stdin = child?.stdin;
    if (!stdin?.writable) throw new Error('the program has exited');
    const text = serializeMessage(message);
    const failure = await new Promise<Error | null | undefined>((resolve) => {
      stdin.write(text, resolve);
    });
    if (!failure) return;
    // The program is about to exit and may still print the reason.
    await this.#ended(GRACE_MS);
    throw new Error('the program has exited', { cause: failure });
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    child.stdin?.end();
    const timer = setTimeout(() => release(child), GRACE_MS);
    await this.#ended();
    clearTimeout(timer);
    this.#reader.clear();
  }

  async #ended(withinMs?: number): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    child.once('close', () => resolve());
    const timer = withinMs === undefined ? undefined : setTimeout(resolve, withinMs);
    await promise;
    clearTimeout(timer);
  }
}

/** Numbers only, so that no admin input becomes code. `-d` limits memory without counting reserved addresses. */
const limitCommands = ({ memory_mb, open_files, cpu_seconds }: McpProgramLimits): string =>
  [
    memory_mb !== undefined && `ulimit -d ${memory_mb * 1024} || exit 126; `,
    open_files !== undefined && `ulimit -n ${open_files} || exit 126; `,
    cpu_seconds !== undefined && `ulimit -t ${cpu_seconds} || exit 126; `,
  ]
    .filter((command) => command !== false)
    .join('');

/** Checked because a missing directory would be reported as a missing program. */
async function workingDirectory(cwd: string | null | undefined): Promise<string> {
  if (cwd === null || cwd === undefined) return tmpdir();
  const found = await stat(cwd).catch(() => undefined);
  if (found?.isDirectory() === true) return cwd;
  throw new Error(`its working directory ${cwd} does not exist`);
}

const release = (child: ChildProcess) => (child.stdio[3] as Writable | null)?.destroy();

/** Environment variables that programs need to run. */
function inherited(): Record<string, string> {
  const { PATH, HOME } = process.env;
  return { ...(PATH !== undefined && { PATH }), ...(HOME !== undefined && { HOME }) };
}
