import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Limits } from '@chatd/loop';

/** What a replica is told when it is started. */
export interface ReplicaOrder {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly limits: Partial<Limits>;
  /** The file that its tools append to. */
  readonly effects: string;
}

export interface ReplicaOptions extends ReplicaOrder {
  readonly name: string;
  readonly logFile: string;
  readonly clockOffsetMs?: number;
  /** The replica program of another version; that of this checkout unless told. */
  readonly program?: string;
}

const PROGRAM = join(import.meta.dirname, 'replica-program.ts');
const SHIFTED_CLOCK = join(import.meta.dirname, 'shifted-clock.mjs');

/** A replica as a process of its own. */
export class Replica {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  readonly ended: Promise<number | string>;
  readonly #child: ChildProcess;
  #alive = true;

  /** Resolves when it answers. */
  static async start(options: ReplicaOptions): Promise<Replica> {
    const { clockOffsetMs, name, logFile, program = PROGRAM, ...order } = options;
    const shifted = clockOffsetMs === undefined ? [] : ['--import', SHIFTED_CLOCK];
    const child = spawn(
      process.execPath,
      ['--conditions=chatd-source', ...shifted, program, JSON.stringify(order)],
      {
        env: { ...cleanEnvironment(), CHATD_TEST_CLOCK_OFFSET_MS: String(clockOffsetMs ?? 0) },
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    );
    const log = createWriteStream(logFile, { flags: 'a' });
    let said = '';
    child.stderr.pipe(log);
    child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4000)));
    const endWithUs = () => child.kill('SIGKILL');
    process.once('exit', endWithUs);
    const ended = once(child, 'exit').then(([code, signal]: unknown[]) => {
      process.off('exit', endWithUs);
      return (code ?? signal) as number | string;
    });
    const ready = once(child.stdout, 'data').then(([chunk]: unknown[]) => String(chunk).trim());
    const url = await Promise.race([ready, ended.then(() => undefined)]);
    if (url === undefined) throw new Error(`replica ${name} did not start:\n${said}`);
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
    this.ended = ended.then((how) => {
      this.#alive = false;
      return how;
    });
  }

  /** It may be frozen. */
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

  /** As an operator stops it. */
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
