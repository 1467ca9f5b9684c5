import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Limits } from '@chatd/loop';
import { cleanEnvironment, Program } from './program.ts';

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
export class Replica extends Program {
  readonly name: string;
  #url = '';

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
    const replica = new Replica(name, child);
    let output = '';
    child.stderr.pipe(createWriteStream(logFile, { flags: 'a' }));
    child.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4000)));
    const ready = once(child.stdout, 'data').then(([chunk]: unknown[]) => String(chunk).trim());
    const url = await Promise.race([ready, replica.ended.then(() => undefined)]);
    if (url === undefined) throw new Error(`replica ${name} did not start:\n${output}`);
    replica.#url = url;
    return replica;
  }

  private constructor(name: string, child: ChildProcess) {
    super(child);
    this.name = name;
  }

  get url(): string {
    return this.#url;
  }
}
