import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';

/*
 * What a measuring command found, kept as JSON in `bench/results`. The figures in READMEs and docs are written from
 * these files by `npm run figures`, never by hand.
 */
const FOLDER = join(import.meta.dirname, '..', 'results');

export interface Result<Data> {
  /** What repeats it, as one types it at the root of the repository. */
  readonly command: string;
  /** The day it was taken, as in `2026-11-15`. */
  readonly day: string;
  readonly machine: Machine;
  readonly data: Data;
}

interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGb: number;
  /** Runnable processes a minute before the end: much more than the cores means that times are to be doubted. */
  readonly load: number;
  readonly node: string;
  /** Other programs that took part, by name: `{ postgresql: '15.18' }`. */
  readonly versions: Readonly<Record<string, string>>;
}

export interface Measured {
  readonly command: string;
  readonly data: unknown;
  readonly versions?: Readonly<Record<string, string>>;
}

/** With the day and the machine. */
export function takenNow({ command, data, versions = {} }: Measured): Result<unknown> {
  return {
    command,
    day: new Date().toISOString().slice(0, 10),
    machine: {
      cores: availableParallelism(),
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

export function parseResult(json: string): Result<unknown> {
  return JSON.parse(json) as Result<unknown>;
}
