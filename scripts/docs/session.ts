import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Interface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { isolation } from './isolation.ts';

const PROGRAM = join(import.meta.dirname, 'session.sh');

/** How a block of commands runs and when it has finished. */
export type Mode =
  | { readonly mode: 'run' | 'any-status' }
  | { readonly mode: 'ctrl-c' | 'background'; readonly text: string };

export interface Commands {
  readonly text: string;
  /** Line on the page, so that bash reports line numbers of the page. */
  readonly line: number;
  readonly how: Mode;
  readonly input: string;
  readonly limitMs: number;
}

export interface Ended {
  readonly output: string;
  readonly status: number;
  /** The failed command. */
  readonly failed?: { readonly line: number; readonly command: string; readonly status: number };
  /** The shell has exited, or was killed after the timeout. */
  readonly over?: 'ended' | 'took too long';
}

export interface SessionOptions {
  readonly folder: string;
  /** Directory for the state of the runner. */
  readonly state: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A bash process that runs the blocks of a page in order. */
export class Session {
  readonly #child: ChildProcess;
  readonly #state: string;
  readonly #answers: Interface;
  readonly #exit: Promise<unknown>;
  #count = 0;

  constructor({ folder, state, env }: SessionOptions) {
    const [program, ...args] = [...isolation(), 'bash', '--noprofile', '--norc', PROGRAM];
    this.#state = state;
    this.#child = spawn(program, args, {
      cwd: folder,
      env: { ...env, DOCS_STATE: state },
      stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe'],
      // In a separate process group, so that Ctrl-C reaches only this process, which then ends the page.
      detached: true,
    });
    this.#exit = once(this.#child, 'exit');
    this.#answers = createInterface({ input: this.#stream(4) });
    this.#stream(3).on('error', () => undefined);
  }

  async run(commands: Commands): Promise<Ended> {
    const name = `block-${(this.#count += 1)}`;
    const file = (suffix: string) => join(this.#state, `${name}.${suffix}`);
    writeFileSync(file('sh'), `${'\n'.repeat(commands.line - 1)}${commands.text}\n`);
    writeFileSync(file('input'), commands.input);
    writeFileSync(file('settings'), settings(commands.how, file('input')));
    const answer = await this.#ask(name, commands.limitMs);
    const output = existsSync(file('output')) ? readFileSync(file('output'), 'utf8') : '';
    const failed = this.#failed();
    return {
      output,
      status: typeof answer === 'number' ? answer : -1,
      ...(failed === undefined ? {} : { failed }),
      ...(typeof answer === 'number' ? {} : { over: answer }),
    };
  }

  /** Stops background processes, then the shell and all processes in its namespace. */
  async end(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      writeFileSync(join(this.#state, 'end.settings'), 'docs_mode=end\n');
      await this.#ask('end', 60_000);
      this.#kill();
    }
    this.#answers.close();
  }

  async #ask(name: string, limitMs: number): Promise<number | 'ended' | 'took too long'> {
    let timer: NodeJS.Timeout | undefined;
    const answered = once(this.#answers, 'line').then(([line]) => Number(line));
    answered.catch(() => undefined);
    const tooLong = new Promise<'took too long'>((resolve) => {
      timer = setTimeout(resolve, limitMs, 'took too long');
    });
    this.#stream(3).write(`${name}\n`);
    const exited = this.#exit.then(() => 'ended' as const);
    const answer = await Promise.race([answered, exited, tooLong]);
    clearTimeout(timer);
    if (answer === 'took too long') this.#kill();
    return answer;
  }

  /** Kills the process group, because without namespaces the children would survive the shell. */
  #kill(): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      // It has already exited.
    }
  }

  #failed(): Ended['failed'] {
    const file = join(this.#state, 'failed');
    if (!existsSync(file)) return undefined;
    const [status, line, ...command] = readFileSync(file, 'utf8').trimEnd().split('\n');
    return { status: Number(status), line: Number(line), command: command.join('\n') };
  }

  #stream(descriptor: 3 | 4): Duplex {
    // A pipe, see the spawn options.
    return this.#child.stdio[descriptor] as Duplex;
  }
}

function settings(how: Mode, input: string): string {
  const text = 'text' in how ? how.text : '';
  return [`docs_mode=${how.mode}`, `docs_text=${quoted(text)}`, `docs_input=${quoted(input)}`]
    .join('\n')
    .concat('\n');
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
