import { randomBytes } from 'node:crypto';
import type { Sandbox, ProcessExit, RunningProcess } from '../drivers/driver.ts';
import { type OutputCaps, OutputBuffer } from './output-buffer.ts';

const CAPS: OutputCaps = { head: 32 * 1024, tail: 64 * 1024 };
const ENDED_KEPT = 50;
const MAX_RUNNING = 64;

export interface ListedProcess {
  readonly id: string;
  readonly command: string;
  readonly cwd: string;
  readonly startedAt: number;
  readonly output: OutputBuffer;
  readonly running: RunningProcess;
  /** Undefined: still running. */
  exit: ProcessExit | undefined;
  endedAt: number | undefined;
  /** Whether the agent knows its id. Commands that end within their wait time need none. */
  listed: boolean;
}

export interface StartProcess {
  readonly command: string;
  readonly cwd: string;
  readonly background: boolean;
  readonly onOutput: (bytes: Uint8Array) => void;
}

/** The commands of an open workspace, running and recently ended. */
export class ProcessList {
  readonly #sandbox: Sandbox;
  readonly #now: () => number;
  readonly #all = new Map<string, ListedProcess>();

  constructor(sandbox: Sandbox, now: () => number) {
    this.#sandbox = sandbox;
    this.#now = now;
  }

  async start({ command, cwd, background, onOutput }: StartProcess): Promise<ListedProcess> {
    const running = [...this.#all.values()].filter(({ exit }) => exit === undefined).length;
    if (running >= MAX_RUNNING) {
      throw new Error(
        `${running} commands are already running in this workspace. Stop some with process_signal first; process_list lists them.`,
      );
    }
    const output = new OutputBuffer(CAPS);
    const startedAt = this.#now();
    const handle = await this.#sandbox.run({
      argv: [this.#sandbox.shell, '-c', `exec 2>&1; ${command}`],
      cwd,
      background,
      onOutput(bytes) {
        output.push(bytes);
        onOutput(bytes);
      },
    });
    const process: ListedProcess = {
      // Random, so that an old id never refers to a different process.
      id: `p${randomBytes(4).toString('hex')}`,
      command,
      cwd,
      startedAt,
      output,
      running: handle,
      exit: undefined,
      endedAt: undefined,
      listed: background,
    };
    this.#all.set(process.id, process);
    void handle.exit.then((exit) => this.#ended(process, exit));
    return process;
  }

  find(id: string): ListedProcess | undefined {
    return this.#all.get(id);
  }

  /** The processes that the agent knows, oldest first. */
  list(): ListedProcess[] {
    return [...this.#all.values()].filter(({ listed }) => listed);
  }

  #ended(process: ListedProcess, exit: ProcessExit): void {
    process.exit = exit;
    process.endedAt = this.#now();
    if (!process.listed) this.#all.delete(process.id);
    const ended = [...this.#all.values()].filter((one) => one.exit !== undefined);
    for (const { id } of ended.slice(0, Math.max(0, ended.length - ENDED_KEPT))) {
      this.#all.delete(id);
    }
  }
}
