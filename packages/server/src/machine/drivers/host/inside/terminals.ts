import { createRequire } from 'node:module';
import type * as NodePty from '@lydell/node-pty';
import { MARK } from './process-table.ts';
import type { Runs } from './runs.ts';

export interface OpenRequest {
  readonly run: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cols: number;
  readonly rows: number;
}

export interface TerminalEvents {
  /** Returns false if the server does not keep up: reading pauses until `resume`. */
  output(run: string, bytes: Buffer): boolean;
  exit(run: string, code: number | null, signal: string | null): void;
}

interface Open {
  readonly pty: NodePty.IPty;
  /** Paused by the server. */
  held: boolean;
}

const SIGNALS: Readonly<Record<number, string>> = { 1: 'SIGHUP', 9: 'SIGKILL', 15: 'SIGTERM' };

/** Interactive shells. Each has a pseudo-terminal, so that job control and signals work. */
export class Terminals {
  readonly #events: TerminalEvents;
  readonly #runs: Runs;
  readonly #env: NodeJS.ProcessEnv;
  readonly #open = new Map<string, Open>();
  #paused = false;

  constructor(events: TerminalEvents, runs: Runs, env: NodeJS.ProcessEnv) {
    this.#events = events;
    this.#runs = runs;
    this.#env = env;
  }

  /** Throws if the pseudo-terminal package is missing. */
  start({ run, argv, cwd, env, cols, rows }: OpenRequest): void {
    const [program = '', ...args] = this.#runs.limited(argv);
    const pty = nodePty().spawn(program, args, {
      cwd,
      cols,
      rows,
      env: { ...this.#env, ...env, [MARK]: run },
      name: env['TERM'] ?? 'xterm',
      encoding: null,
    });
    this.#open.set(run, { pty, held: false });
    this.#runs.adopt(run, pty.pid);
    // Without an encoding these are bytes, despite the types.
    pty.onData((data: unknown) => {
      if (this.#events.output(run, data as Buffer)) return;
      this.#paused = true;
      for (const each of this.#open.values()) each.pty.pause();
    });
    pty.onExit(({ exitCode, signal = 0 }) => {
      this.#open.delete(run);
      this.#runs.leave(run);
      const name = signal === 0 ? null : (SIGNALS[signal] ?? `signal ${signal}`);
      this.#events.exit(run, name === null ? exitCode : null, name);
    });
  }

  write(run: string, bytes: Buffer): void {
    // Accepts bytes, despite its types.
    this.#open.get(run)?.pty.write(bytes as unknown as string);
  }

  resize(run: string, cols: number, rows: number): void {
    this.#open.get(run)?.pty.resize(cols, rows);
  }

  flow(run: string, on: boolean): void {
    const open = this.#open.get(run);
    if (open === undefined) return;
    open.held = !on;
    if (!on) open.pty.pause();
    else if (!this.#paused) open.pty.resume();
  }

  /** The server is reading again. */
  resume(): void {
    this.#paused = false;
    for (const { pty, held } of this.#open.values()) if (!held) pty.resume();
  }
}

/** Copied next to this program. Not available on some platforms. */
function nodePty(): typeof NodePty {
  return createRequire(import.meta.url)('@lydell/node-pty') as typeof NodePty;
}
