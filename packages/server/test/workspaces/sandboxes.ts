import { randomInt, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { WorkspaceNetwork } from '@chatd/protocol';
import type {
  Sandbox,
  ProcessExit,
  SandboxLimits,
  SandboxOptions,
  WorkspaceSpec,
} from '../../src/machine/drivers/driver.ts';
import { HostDriver, type HostDriverOptions } from '../../src/machine/drivers/host/host-driver.ts';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';

export interface Outcome extends ProcessExit {
  readonly output: string;
}

/** A sandbox with helpers for tests. */
export class TestBox {
  readonly sandbox: Sandbox;
  /** The path of its files on the machine. */
  readonly folder: string;

  constructor(sandbox: Sandbox, folder: string) {
    this.sandbox = sandbox;
    this.folder = folder;
  }

  async sh(command: string): Promise<Outcome> {
    let output = '';
    const running = await this.sandbox.run({
      argv: [this.sandbox.shell, '-c', `exec 2>&1; ${command}`],
      onOutput: (bytes) => {
        output += Buffer.from(bytes).toString('utf8');
      },
    });
    return { ...(await running.exit), output };
  }

  path(name: string): string {
    return join(this.sandbox.root, name);
  }

  async read(name: string): Promise<string> {
    const { bytes } = await this.sandbox.files.read(this.path(name), 0, 1_000_000);
    return Buffer.from(bytes).toString('utf8');
  }

  write(name: string, text: string): Promise<boolean> {
    return this.sandbox.files.write(this.path(name), Buffer.from(text));
  }
}

export interface OpenOptions {
  readonly limits?: SandboxLimits;
  readonly network?: WorkspaceNetwork;
  readonly env?: Record<string, string>;
  /** The ID of an existing workspace. */
  readonly id?: string;
  readonly opening?: SandboxOptions;
}

/** The sandboxes of one machine. They are closed and removed after the tests of the file. */
export class TestMachine {
  readonly directory: string;
  readonly driver: HostDriver;
  readonly #sandboxes: Sandbox[] = [];

  static async start(over: Partial<HostDriverOptions> = {}): Promise<TestMachine> {
    const machine = new TestMachine(await makeTemporaryDirectory(), over);
    afterAll(() => machine.end());
    return machine;
  }

  private constructor(directory: string, over: Partial<HostDriverOptions>) {
    this.directory = directory;
    this.driver = new HostDriver({
      directory: join(directory, 'workspaces'),
      hidden: [directory],
      allowUnsandboxed: false,
      ...over,
    });
  }

  async open({ opening, ...options }: OpenOptions = {}): Promise<TestBox> {
    const spec: WorkspaceSpec = {
      id: randomUUID(),
      env: {},
      limits: {},
      network: 'none',
      ...options,
    };
    if (options.id === undefined) await this.driver.create(spec);
    const sandbox = await this.driver.open(spec, opening);
    this.#sandboxes.push(sandbox);
    return new TestBox(sandbox, join(this.directory, 'workspaces', spec.id, 'files'));
  }

  async end(): Promise<void> {
    await Promise.all(this.#sandboxes.map((sandbox) => sandbox.close()));
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** A unique number, to find the process of a command from outside its sandbox. */
export const marker = (): string => `${randomInt(10 ** 8, 10 ** 9)}`;

/** Processes of the whole machine whose command line contains the text. */
export function processesWith(text: string): number[] {
  return processes().filter((pid) => commandOf(pid).includes(text));
}

/** The descendants of this process. */
export function ownProcesses(): number[] {
  const parents = new Map(processes().map((pid) => [pid, parentOf(pid)]));
  const isOwn = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === process.pid || isOwn(parents.get(pid)));
  return [...parents.keys()].filter((pid) => pid !== process.pid && isOwn(pid));
}

const processes = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

const commandOf = (pid: number): string => about(pid, 'cmdline');

/** The state and the parent follow the name, which may contain any character. */
const statOf = (pid: number): string[] =>
  about(pid, 'stat').split(')').at(-1)?.trim().split(' ') ?? [];
const parentOf = (pid: number): number | undefined => Number(statOf(pid)[1]) || undefined;
export const isStopped = (pid: number): boolean => statOf(pid)[0] === 'T';

/** Empty if the process has ended. */
function about(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
