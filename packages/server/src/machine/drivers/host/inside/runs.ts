import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { MARK, owners, processes } from './process-table.ts';

export interface RunRequest {
  readonly run: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly background: boolean;
  readonly stdin: Buffer;
  /** Keeps stdin open. */
  readonly input: boolean;
}

export interface RunEvents {
  /** Returns false if the server does not keep up: reading pauses until `resume`. */
  output(run: string, stream: 'stdout' | 'stderr', bytes: Buffer): boolean;
  exit(run: string, code: number | null, signal: string | null): void;
}

export interface RunEnvironment {
  /** Whether the process namespace belongs to this sandbox alone, so that stray processes may be killed. */
  readonly alone: boolean;
  readonly env: NodeJS.ProcessEnv;
  /**
   * Data limit per command in KiB. Empty: no limit. Does not apply to this program: Node reserves far more than it
   * uses.
   */
  readonly dataLimit: string;
}

interface Run {
  readonly child: ChildProcess;
  kept: boolean;
}

const MAX_ROUNDS = 50;
const TIMEOUT_MS = 5000;
const SHORT_PATIENCE_MS = 100;

/** The processes of a workspace. The children of a run end with it, unless it runs in the background. */
export class Runs {
  readonly #events: RunEvents;
  readonly #around: RunEnvironment;
  readonly #runs = new Map<string, Run>();
  /** Background runs whose own process has ended. Their children live on. */
  readonly #kept = new Set<string>();
  readonly #streams = new Set<Readable>();
  /** Since when the server does not read. Undefined: it reads. */
  #pausedAt: number | undefined;
  /** How long the server did not read, in all earlier pauses. */
  #pausedMs = 0;
  /** Processes of other components, which are not killed. */
  readonly #guests = new Map<string, number>();

  constructor(events: RunEvents, around: RunEnvironment) {
    this.#events = events;
    this.#around = around;
  }

  start(request: RunRequest): Promise<void> {
    const { run, argv, cwd, env, background, stdin, input } = request;
    const [program = '', ...args] = this.limited(argv);
    const started = Promise.withResolvers<void>();
    const child = spawn(program, args, {
      cwd,
      env: { ...this.#around.env, ...env, [MARK]: run },
      // In its own process group, so that a signal reaches all of it.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#runs.set(run, { child, kept: background });
    child.once('spawn', () => started.resolve());
    child.once('error', (error) => {
      this.#runs.delete(run);
      started.reject(error);
    });
    child.stdin.on('error', () => undefined);
    child.stdin.write(stdin);
    if (!input) child.stdin.end();
    this.#read(run, 'stdout', child.stdout);
    this.#read(run, 'stderr', child.stderr);
    child.once('exit', (code, signal) => this.#exited(run, code, signal));
    return started.promise;
  }

  write(run: string, bytes: Buffer): void {
    this.#runs.get(run)?.child.stdin?.write(bytes);
  }

  endInput(run: string): void {
    this.#runs.get(run)?.child.stdin?.end();
  }

  /** Registers a process that carries the mark of a run but was started elsewhere. */
  adopt(run: string, pid: number): void {
    this.#guests.set(run, pid);
  }

  /** The run's own process has ended; its children live on. */
  leave(run: string): void {
    if (this.#guests.delete(run)) this.#kept.add(run);
  }

  /** The server is reading again. */
  resume(): void {
    this.#pausedMs += performance.now() - (this.#pausedAt ?? performance.now());
    this.#pausedAt = undefined;
    for (const stream of this.#streams) stream.resume();
  }

  keep(run: string): void {
    const known = this.#runs.get(run);
    if (known !== undefined) known.kept = true;
  }

  /** Signals all processes of the run. After SIGKILL none is left. */
  signal(run: string, signal: NodeJS.Signals): void {
    const known = this.#runs.get(run);
    if (signal === 'SIGKILL') {
      if (known !== undefined) {
        known.kept = false;
        killGroup(known.child, signal);
      }
      this.#kept.delete(run);
      this.#killAll((owner) => owner === run);
      return;
    }
    const all = this.#owners();
    if (all.size === 0 && known !== undefined) killGroup(known.child, signal);
    for (const [pid, owner] of all) if (owner === run) kill(pid, signal);
  }

  end(): void {
    if (this.#around.alone) return killEverything();
    const known = new Set([...this.#runs.keys(), ...this.#kept, ...this.#guests.keys()]);
    for (const { child } of this.#runs.values()) killGroup(child, 'SIGKILL');
    this.#killAll((owner) => owner !== undefined && known.has(owner));
  }

  /** The command with the limits that apply to each command. */
  limited(argv: readonly string[]): readonly string[] {
    const { dataLimit } = this.#around;
    if (dataLimit === '') return argv;
    return ['/bin/sh', '-c', `ulimit -d ${dataLimit}; exec "$@"`, 'sh', ...argv];
  }

  #read(run: string, name: 'stdout' | 'stderr', stream: Readable): void {
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
    stream.on('data', (bytes: Buffer) => {
      if (this.#events.output(run, name, bytes)) return;
      this.#pausedAt ??= performance.now();
      for (const one of this.#streams) one.pause();
    });
  }

  #exited(run: string, code: number | null, signal: string | null): void {
    const known = this.#runs.get(run);
    if (known === undefined) return;
    if (known.kept) this.#kept.add(run);
    else this.#killLeftovers(run);
    const done = () => {
      if (this.#runs.delete(run)) this.#events.exit(run, code, signal);
    };
    // The pipes close soon after its children are dead. Background children may hold them open indefinitely.
    const patience = !known.kept && this.#around.alone ? TIMEOUT_MS : SHORT_PATIENCE_MS;
    const until = this.#readingTime() + patience;
    const check = () => {
      const left = until - this.#readingTime();
      if (left > 0) timer = setTimeout(check, left);
      else done();
    };
    let timer = setTimeout(check, patience);
    known.child.once('close', () => {
      clearTimeout(timer);
      done();
    });
  }

  /** Time that passes only while the server reads. Until then, the pipes may have output that belongs before the exit. */
  #readingTime(): number {
    return (this.#pausedAt ?? performance.now()) - this.#pausedMs;
  }

  #killLeftovers(run: string): void {
    const others = this.#runs.size > 1 || this.#kept.size > 0 || this.#guests.size > 0;
    if (this.#around.alone && !others) killEverything();
    else if (this.#around.alone)
      this.#killAll((owner) => owner === undefined || !this.#lives(owner, run));
    else this.#killAll((owner) => owner === run);
  }

  #lives(owner: string, ended: string): boolean {
    const isKnown = this.#runs.has(owner) || this.#kept.has(owner) || this.#guests.has(owner);
    return owner !== ended && isKnown;
  }

  /** Stops processes before it kills them, in rounds, so that fork loops cannot escape. */
  #killAll(which: (owner: string | undefined) => boolean): void {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const doomed = [...this.#owners()].filter(([, owner]) => which(owner)).map(([pid]) => pid);
      if (doomed.length === 0) return;
      for (const pid of doomed) kill(pid, 'SIGSTOP');
      for (const pid of doomed) kill(pid, 'SIGKILL');
    }
  }

  #owners(): Map<number, string | undefined> {
    const roots = new Map<number, string>();
    for (const [run, pid] of this.#guests) roots.set(pid, run);
    for (const [run, { child }] of this.#runs) {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
        roots.set(child.pid, run);
      }
    }
    const seen = processes(this.#around.alone ? undefined : process.getuid?.());
    return owners(seen, roots, process.pid);
  }
}

/** Kills all processes of the namespace except its first and this one, in one system call that forks cannot outrun. */
function killEverything(): void {
  kill(-1, 'SIGKILL');
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) kill(-pid, signal);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Already ended.
  }
}
