import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  type Sandbox,
  SandboxClosed,
  WorkspaceOpenError,
  type ProcessRequest,
  type Driver,
  type PortAccess,
  type ProcessExit,
  type SandboxOptions,
  type WorkspaceSpec,
  type RunningProcess,
  type RunningTerminal,
  type TerminalRequest,
} from '../driver.ts';
import { shellFiles } from '../shell-files.ts';
import {
  beginArguments,
  containerOf,
  createArguments,
  execArguments,
  networkArguments,
  ROOT,
  runOf,
  signalArguments,
  terminalArguments,
} from './docker-arguments.ts';
import { connectPort } from './docker-ports.ts';
import { dockerTerminal } from './docker-terminal.ts';

const execute = promisify(execFile);

/** Runs each workspace in a container of the local Docker daemon, with the `docker` command. */
export class DockerDriver implements Driver {
  readonly #program: string;

  constructor(program = 'docker') {
    this.#program = program;
  }

  async create(spec: WorkspaceSpec): Promise<void> {
    await this.remove(spec);
    await this.#docker(createArguments(spec));
  }

  async copyIn(spec: WorkspaceSpec, folder: string): Promise<void> {
    await this.#docker(['cp', `${folder}/.`, `${containerOf(spec)}:${ROOT}`]);
  }

  async open(spec: WorkspaceSpec, opening: SandboxOptions = {}): Promise<Sandbox> {
    const network = opening.network ?? spec.network;
    if (typeof network === 'object') {
      throw new WorkspaceOpenError(
        'The docker driver has no network allowlist. Use the host driver, or set the network of the template to "none" or "internet".',
      );
    }
    await this.#docker(['start', containerOf(spec)]);
    await this.#connect(spec, network !== 'none');
    const shell = (await this.#docker(beginArguments(spec))).trim();
    return new Container(this.#program, spec, shell);
  }

  async stop(spec: WorkspaceSpec): Promise<void> {
    await this.#docker(['stop', '--time', '2', containerOf(spec)]);
  }

  async remove(spec: WorkspaceSpec): Promise<void> {
    await this.#docker(['rm', '--force', '--volumes', containerOf(spec)]).catch(
      (error: unknown) => {
        if (!/no such container/i.test(String(error))) throw error;
      },
    );
  }

  async #connect(spec: WorkspaceSpec, connected: boolean): Promise<void> {
    const as = connected ? /already exists/i : /is not connected/i;
    await this.#docker(networkArguments(spec, connected)).catch((error: unknown) => {
      if (!as.test(String(error))) throw error;
    });
  }

  async #docker(args: readonly string[]): Promise<string> {
    try {
      return (await execute(this.#program, [...args])).stdout;
    } catch (error) {
      const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
      const why = stderr === '' ? String(error) : stderr;
      throw new WorkspaceOpenError(`docker ${args[0] ?? ''} failed: ${why}`);
    }
  }
}

/** Time to read output that was written before the exit. */
const DRAIN_MS = 200;
const KILLED: ProcessExit = { code: null, signal: 'SIGKILL' };

class Container implements Sandbox {
  readonly root = ROOT;
  readonly shell: string;
  readonly files = shellFiles((command) => this.run(command), ROOT);
  readonly ports: PortAccess = {
    connect: (port, handlers) => connectPort((command) => this.run(command), port, handlers),
  };
  readonly closed: Promise<string>;
  readonly #program: string;
  readonly #spec: WorkspaceSpec;
  readonly #ended = Promise.withResolvers<string>();
  readonly #runs = new Map<string, ChildProcess>();
  readonly #terminals = new Set<RunningTerminal>();
  #isClosed = false;

  constructor(program: string, spec: WorkspaceSpec, shell: string) {
    this.#program = program;
    this.#spec = spec;
    this.shell = shell;
    this.closed = this.#ended.promise;
  }

  async run(command: ProcessRequest): Promise<RunningProcess> {
    if (this.#isClosed) throw new SandboxClosed('it was closed');
    const run = runOf(this.#spec, 'r');
    const child = spawn(this.#program, execArguments(this.#spec, command, run), {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let kept = command.background ?? false;
    this.#runs.set(run, child);
    child.stdin.on('error', () => undefined);
    child.stdin.write(command.stdin ?? '');
    if (command.input !== true) child.stdin.end();
    child.stdout.on('data', (bytes: Buffer) => command.onOutput(bytes, 'stdout'));
    child.stderr.on('data', (bytes: Buffer) => command.onOutput(bytes, 'stderr'));
    const exited = Promise.withResolvers<ProcessExit>();
    child.once('error', (error) => {
      command.onOutput(Buffer.from(String(error)), 'stderr');
      exited.resolve({ code: 127, signal: null });
    });
    const closed = once(child, 'close').catch(() => undefined);
    child.once('exit', (code, signal) => {
      this.#runs.delete(run);
      const exit = asExit(code, signal);
      // Its remaining children are killed first: they may hold the output open.
      const over = kept ? Promise.resolve() : this.#signal(run, 'SIGKILL');
      const drained = Promise.race([closed, sleep(DRAIN_MS, undefined, { ref: false })]);
      void Promise.all([over, drained]).then(() => exited.resolve(exit));
    });
    return {
      exit: exited.promise,
      signal: (name) => this.#signal(run, name),
      keep: () => {
        kept = true;
        return Promise.resolve();
      },
      write: (bytes) => new Promise((resolve) => child.stdin.write(bytes, () => resolve())),
      endInput: () => void child.stdin.end(),
    };
  }

  async terminal({ argv, ...request }: TerminalRequest): Promise<RunningTerminal> {
    if (this.#isClosed) throw new SandboxClosed('it was closed');
    const run = runOf(this.#spec, 't');
    const terminal = await dockerTerminal({
      ...request,
      program: this.#program,
      args: terminalArguments(this.#spec, argv, run),
      signal: (signal) => this.#signal(run, signal),
    });
    this.#terminals.add(terminal);
    void terminal.exit.then(() => this.#terminals.delete(terminal));
    return terminal;
  }

  async close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      await Promise.all([...this.#terminals].map((terminal) => terminal.signal('SIGKILL')));
      const runs = [...this.#runs];
      await Promise.all(runs.map(([run]) => this.#signal(run, 'SIGKILL')));
      for (const [, child] of runs) child.kill('SIGKILL');
      this.#ended.resolve('it was closed');
    }
    await this.closed;
  }

  async #signal(run: string, signal: NodeJS.Signals): Promise<void> {
    await execute(this.#program, signalArguments(this.#spec, run, signal)).catch(() => undefined);
  }
}

/** Docker reports a signal the way a shell does. */
function asExit(code: number | null, signal: string | null): ProcessExit {
  if (code === null) return signal === null ? KILLED : { code: null, signal };
  return code === 137 ? KILLED : { code, signal: null };
}
