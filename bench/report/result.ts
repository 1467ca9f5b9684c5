import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';

/* Benchmarks store their results as JSON in `bench/results`. `npm run figures` writes all figures of the docs from them. */
const FOLDER = join(import.meta.dirname, '..', 'results');

export interface Result<Data> {
  /** The command that reproduces it, run from the repository root. */
  readonly command: string;
  /** For example `2026-11-15`. */
  readonly day: string;
  readonly machine: Machine;
  readonly data: Data;
}

interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGb: number;
  /** One-minute load average at the end. Do not trust times if it is far above the number of cores. */
  readonly load: number;
  readonly node: string;
  /** Versions of other programs by name: `{ postgresql: '15.18' }`. */
  readonly versions: Readonly<Record<string, string>>;
}

export interface Measured {
  readonly command: string;
  readonly data: unknown;
  readonly versions?: Readonly<Record<string, string>>;
}

export function takenNow({ command, data, versions = {} }: Measured): Result<unknown> {
  return {
    command,
    day: new Date().toISOString().slice(0, 10),
    machine: {
      // Unlike availableParallelism, not reduced by the affinity of this process.
      cores: cpus().length,
      processor: cpus()[0]?.model ?? 'unknown',
      memoryGb: Math.round(totalmem() / 2 ** 30),
      load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
      node: process.versions.node,
      versions,
    },
    data,
  };
}

export async function keepResult(name: string, measured: Measured): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const text = `${JSON.stringify(takenNow(measured), null, 2)}\n`;
  await writeFile(join(FOLDER, `${name}.json`), text);
}

/** Undefined: none is stored. */
export async function readResult(name: string): Promise<Result<unknown> | undefined> {
  try {
    return parseResult(await readFile(join(FOLDER, `${name}.json`), 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

export function parseResult(json: string): Result<unknown> {
  return JSON.parse(json) as Result<unknown>;
}
