import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Limits } from '@chatd/loop';

/** Configuration passed to the replica program. */
export interface ReplicaConfig {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly limits: Partial<Limits>;
  /** File that its tools append to. */
  readonly effects: string;
}

export interface ReplicaOptions extends ReplicaConfig {
  readonly name: string;
  readonly logFile: string;
  readonly clockOffsetMs?: number;
  /** Path of the replica program. Default: the one of this checkout. */
  readonly program?: string;
}

const PROGRAM = join(import.meta.dirname, 'replica-program.ts');
const SHIFTED_CLOCK = join(import.meta.dirname, 'shifted-clock.mjs');

/** A replica process. */
export class Replica {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  readonly ended: Promise<number | string>;
  readonly #child: ChildProcess;
  #alive = true;

  /** Resolves when the replica is ready. */
  static async start(options: ReplicaOptions): Promise<Replica> {
    const { clockOffsetMs, name, logFile, program = PROGRAM, ...config } = options;
    const shifted = clockOffsetMs === undefined ? [] : ['--import', SHIFTED_CLOCK];
    const child = spawn(
      process.execPath,
      ['--conditions=chatd-source', ...shifted, program, JSON.stringify(config)],
      {
        env: { ...cleanEnvironment(), CHATD_TEST_CLOCK_OFFSET_MS: String(clockOffsetMs ?? 0) },
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    );
    const log = createWriteStream(logFile, { flags: 'a' });
    let output = '';
    child.stderr.pipe(log);
    child.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4000)));
    const killChild = () => child.kill('SIGKILL');
    process.once('exit', killChild);
    const ended = once(child, 'exit').then(([code, signal]: unknown[]) => {
      process.off('exit', killChild);
      return (code ?? signal) as number | string;
    });
    const ready = once(child.stdout, 'data').then(([chunk]: unknown[]) => String(chunk).trim());
    const url = await Promise.race([ready, ended.then(() => undefined)]);
    if (url === undefined) throw new Error(`replica ${name} did not start:\n${output}`);
    return new Replica(name, url, child, ended);
  }

  private constructor(
    name: string,
    url: string,
    child: ChildProcess,
    ended: Promise<number | string>,
  ) {
    this.name = name;
    this.url = url;
    this.#child = child;
    this.pid = child.pid ?? 0;
    this.ended = ended.then((status) => {
      this.#alive = false;
      return status;
    });
  }

  /** True for a frozen replica as well. */
  get isAlive(): boolean {
    return this.#alive;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  async stop(): Promise<number | string> {
    this.#child.kill('SIGTERM');
    return await this.ended;
  }

  async memoryMegabytes(): Promise<number> {
    const status = await readFile(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
  }
}

const cleanEnvironment = (): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('CHATD_')));
