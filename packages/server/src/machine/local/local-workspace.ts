import type { Clock } from '@chatd/loop';
import type { HostedCheckpoints } from '../checkpoints/hosted-checkpoints.ts';
import {
  type ProcessRequest,
  type RunningProcess,
  type Sandbox,
  SandboxFileError,
  type SandboxFiles,
} from '../drivers/driver.ts';
import { CallLost, type CallOutcome, type FileToWrite, type HostedWorkspace } from '../machine.ts';
import type { Journal, StagedWrite } from './journal.ts';
import { LocalCommands } from './local-commands.ts';
import { LocalDesktop } from './local-desktop.ts';
import { LocalPorts } from './local-ports.ts';
import { LocalTerminals, type TerminalLimits } from './local-terminals.ts';

export interface LocalWorkspaceOptions {
  readonly id: string;
  readonly sandbox: Sandbox;
  readonly checkpoints: HostedCheckpoints;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly terminals?: TerminalLimits | undefined;
}

/** A workspace that is open on this machine. */
export class LocalWorkspace implements HostedWorkspace {
  readonly root: string;
  readonly shell: string;
  readonly files: SandboxFiles;
  readonly commands: LocalCommands;
  readonly terminals: LocalTerminals;
  readonly desktop: LocalDesktop;
  readonly ports: LocalPorts;
  readonly checkpoints: HostedCheckpoints;
  readonly closed: Promise<string>;
  readonly #options: LocalWorkspaceOptions;
  readonly #writes = new Map<string, Promise<string>>();
  /** Differs from the revisions of earlier sandboxes. */
  #revision: number;
  #isClosed = false;

  constructor(options: LocalWorkspaceOptions) {
    const { id, sandbox, journal, clock, checkpoints } = options;
    this.#options = options;
    this.root = sandbox.root;
    this.shell = sandbox.shell;
    this.closed = sandbox.closed;
    this.#revision = clock.now();
    const touch = () => {
      this.#revision += 1;
    };
    this.files = {
      read: (path, from, length) => sandbox.files.read(path, from, length),
      stat: (path) => sandbox.files.stat(path),
      list: (path, listing) => sandbox.files.list(path, listing),
      write: async (path, bytes, expected) =>
        await sandbox.files.write(path, bytes, expected).finally(touch),
    };
    this.commands = new LocalCommands({
      workspaceId: id,
      sandbox,
      journal,
      clock,
      onChange: touch,
    });
    this.terminals = new LocalTerminals(sandbox, clock, options.terminals ?? {}, touch);
    this.desktop = new LocalDesktop(sandbox);
    this.ports = new LocalPorts(sandbox);
    this.checkpoints = {
      save: (checkpoint, base) => checkpoints.save(checkpoint, base),
      diff: (from, to) => checkpoints.diff(from, to),
      conflicts: (states) => checkpoints.conflicts(states),
      restore: async (checkpoint, target, expected) =>
        await checkpoints.restore(checkpoint, target, expected).finally(touch),
      prune: (records) => checkpoints.prune(records),
    };
    void this.#watch();
  }

  async run(request: ProcessRequest): Promise<RunningProcess> {
    return await this.#options.sandbox.run(request);
  }

  async revision(): Promise<number> {
    return this.#revision;
  }

  async outcome(call: string): Promise<CallOutcome> {
    const { id, journal } = this.#options;
    const entry = journal.find(id, call);
    if (entry === undefined) return { state: journal.isSettled(call) ? 'lost' : 'unknown' };
    if (entry.kind === 'write') {
      return entry.written
        ? { state: 'finished', result: entry.staged.result }
        : { state: 'running' };
    }
    if (entry.ended !== undefined) return { state: 'finished', result: '' };
    return { state: entry.lost ? 'lost' : 'running' };
  }

  async writeAll(call: string, files: readonly FileToWrite[], result: string): Promise<string> {
    const earlier = this.#writes.get(call);
    if (earlier !== undefined) return await earlier;
    const writing = this.#writeAll(call, files, result).finally(() => this.#writes.delete(call));
    this.#writes.set(call, writing);
    return await writing;
  }

  /** Writes the files of calls that the previous process of the machine did not finish. */
  async finishWrites(): Promise<void> {
    const { id, journal } = this.#options;
    for (const staged of journal.unfinishedWrites(id)) await this.#finish(staged);
  }

  isClosed = (): boolean => this.#isClosed;

  async close(): Promise<void> {
    await this.#options.sandbox.close();
  }

  async #writeAll(call: string, files: readonly FileToWrite[], result: string): Promise<string> {
    const { id, journal } = this.#options;
    const entry = journal.find(id, call);
    if (entry?.kind === 'write') {
      if (!entry.written) await this.#finish(entry.staged);
      return entry.staged.result;
    }
    if (entry !== undefined || journal.isSettled(call)) {
      throw new CallLost('The result of the call is already stored.');
    }
    // Writing one file is atomic.
    const before =
      files.length === 1 ? [] : await Promise.all(files.map(({ path }) => this.#readWhole(path)));
    const staged: StagedWrite = {
      workspace: id,
      call,
      file: journal.newFile(),
      files: files.map(({ path, bytes }) => ({ path, size: bytes.length })),
      result,
    };
    await journal.stage(
      staged,
      files.map(({ bytes }) => bytes),
    );
    let written = 0;
    try {
      for (const { path, bytes } of files) {
        await this.files.write(path, bytes);
        written += 1;
      }
    } catch (error) {
      if (!(error instanceof SandboxFileError)) throw error;
      await this.#restore(files.slice(0, written), before);
      await journal.drop(staged);
      throw error;
    }
    await journal.written(staged);
    return result;
  }

  async #watch(): Promise<void> {
    await this.closed;
    this.#isClosed = true;
  }

  async #finish(staged: StagedWrite): Promise<void> {
    const { journal } = this.#options;
    for (const { path, bytes } of await journal.staged(staged)) await this.files.write(path, bytes);
    await journal.written(staged);
  }

  /** Undefined: the file does not exist. */
  async #readWhole(path: string): Promise<Uint8Array | undefined> {
    const found = await this.files.stat(path);
    return found && (await this.files.read(path, 0, found.size)).bytes;
  }

  async #restore(
    files: readonly FileToWrite[],
    before: readonly (Uint8Array | undefined)[],
  ): Promise<void> {
    for (const [index, { path }] of files.entries()) {
      const bytes = before[index];
      if (bytes !== undefined) await this.files.write(path, bytes);
      else await this.#delete(path);
    }
  }

  async #delete(path: string): Promise<void> {
    const removing = await this.run({
      argv: ['/bin/sh', '-c', 'rm -f -- "$1"', 'sh', path],
      onOutput: () => undefined,
    });
    await removing.exit;
  }
}
