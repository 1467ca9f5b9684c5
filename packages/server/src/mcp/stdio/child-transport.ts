import { type ChildProcess, spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Writable } from 'node:stream';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { McpProgramLimits } from '@chatd/protocol';
import { StderrTail } from './stderr-tail.ts';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Null: the directory for temporary files. */
  readonly cwd?: string | null;
  readonly limits?: McpProgramLimits;
  /** Called once, when no process of it can be left. */
  readonly onEnd?: () => void;
}

/**
 * Becomes the program, and leaves a watch behind that ends the whole process group when file descriptor 3 is closed.
 * We hold the other end: it is closed by us, or by the system when we are no more, however we ended. What is given is
 * passed as arguments, so that the shell expands nothing of it.
 */
const GUARD = '( read -r _ <&3; kill -KILL 0 ) </dev/null >/dev/null 2>&1 & exec 3<&-; exec "$@"';

/** What a program gets before it is killed, once its input has ended. */
const GRACE_MS = 1000;

const MESSAGE_LIMIT = 32 * 1024 * 1024;

/** A server that is a program of this machine, spoken to by its input and output. It dies with us. */
export class ChildTransport implements Transport {
  readonly #program: Program;
  readonly #buffer = new ReadBuffer({ maxBufferSize: MESSAGE_LIMIT });
  readonly #lastWords = new StderrTail();
  #child: ChildProcess | undefined;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor(program: Program) {
    this.#program = program;
  }

  /** What it wrote last where programs complain. */
  get lastWords(): string {
    return this.#lastWords.text;
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
    child.stderr?.on('data', (chunk: Buffer) => this.#lastWords.add(chunk));
    child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
    // Whatever it has left behind goes with it.
    child.once('exit', () => release(child));
    child.once('close', () => {
      this.#child = undefined;
      onEnd?.();
      this.onclose?.();
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        // It was never there, so nothing will say that it is gone.
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
    if (!stdin?.writable) throw new Error('the program has ended');
    const text = serializeMessage(message);
    const failure = await new Promise<Error | null | undefined>((resolve) => {
      stdin.write(text, resolve);
    });
    if (!failure) return;
    // It is about to end, and may still say why.
    await this.#ended(GRACE_MS);
    throw new Error('the program has ended', { cause: failure });
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    child.stdin?.end();
    const timer = setTimeout(() => release(child), GRACE_MS);
    await this.#ended();
    clearTimeout(timer);
    this.#buffer.clear();
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

  #read(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk);
    } catch (error) {
      this.onerror?.(error as Error);
      if (this.#child !== undefined) release(this.#child);
      return;
    }
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // A line that is no message: programs print all sorts of things.
        this.onerror?.(error as Error);
      }
    }
  }
}

/** Numbers only: nothing that an admin writes becomes code. `-d` bounds memory without counting reserved addresses. */
const limitCommands = ({ memory_mb, open_files, cpu_seconds }: McpProgramLimits): string =>
  [
    memory_mb !== undefined && `ulimit -d ${memory_mb * 1024} || exit 126; `,
    open_files !== undefined && `ulimit -n ${open_files} || exit 126; `,
    cpu_seconds !== undefined && `ulimit -t ${cpu_seconds} || exit 126; `,
  ]
    .filter((command) => command !== false)
    .join('');

/** A missing directory would look like a missing program. */
async function workingDirectory(cwd: string | null | undefined): Promise<string> {
  if (cwd === null || cwd === undefined) return tmpdir();
  const found = await stat(cwd).catch(() => undefined);
  if (found?.isDirectory() === true) return cwd;
  throw new Error(`its working directory ${cwd} does not exist`);
}

/** Closes the descriptor that keeps the process group alive. */
const release = (child: ChildProcess) => (child.stdio[3] as Writable | null)?.destroy();

/** Of our own environment, what a program needs to be found and to find its home. */
function inherited(): Record<string, string> {
  const { PATH, HOME } = process.env;
  return { ...(PATH !== undefined && { PATH }), ...(HOME !== undefined && { HOME }) };
}
