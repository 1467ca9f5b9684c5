import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { delimiter, join } from 'node:path';
import type { Readable } from 'node:stream';
import { makeTemporaryDirectory } from '../temporary-directory.ts';

/** A temporary NATS server: the system's program on a free port. */
export interface NatsServer {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
  /** Starts again on the same port. */
  start(): Promise<void>;
}

/** Debian installs it in a directory that only root has in its PATH. */
export function findNatsServer(): string | undefined {
  const directories = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    '/usr/sbin',
    '/usr/local/bin',
  ];
  return directories.map((directory) => join(directory, 'nats-server')).find(existsSync);
}

export async function startNatsServer(config: string = ''): Promise<NatsServer> {
  const program = findNatsServer();
  if (program === undefined) {
    throw new Error('There is no nats-server. Install it: apt-get install nats-server');
  }
  let { child, port } = await run(program, -1, config);
  return {
    port,
    get pid() {
      return child.pid ?? Number.NaN;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    async start() {
      ({ child, port } = await run(program, port, config));
    },
  };
}

async function run(
  program: string,
  port: number,
  config: string,
): Promise<{ child: ChildProcess; port: number }> {
  const directory = await makeTemporaryDirectory();
  try {
    const file = join(directory, 'nats.conf');
    await writeFile(file, `listen: "127.0.0.1:${port}"\n${config}`);
    const child = spawn(program, ['--config', file], { stdio: ['ignore', 'ignore', 'pipe'] });
    const endWithUs = () => child.kill('SIGKILL');
    process.once('exit', endWithUs);
    child.once('exit', () => process.off('exit', endWithUs));
    return { child, port: await portOf(child.stderr) };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function portOf(stderr: Readable): Promise<number> {
  const said: string[] = [];
  let port: string | undefined;
  for await (const line of createInterface(stderr)) {
    said.push(line);
    port ??= /client connections on .*:(\d+)/.exec(line)?.[1];
    if (port !== undefined && line.includes('Server is ready')) {
      // Discard the rest, so that the server does not block on a full pipe.
      stderr.resume();
      return Number(port);
    }
  }
  throw new Error(`nats-server did not start: ${said.join('\n')}`);
}
