import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { delimiter, join } from 'node:path';
import { makeTemporaryDirectory } from '../support/temporary-directory.ts';

/** A throw-away NATS server: the system's program, on a port of its own. */
export interface NatsServer {
  readonly port: number;
  stop(): Promise<void>;
  /** On the same port. */
  start(): Promise<void>;
}

/** Debian puts it where only root's PATH leads. */
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
  const directory = await makeTemporaryDirectory();
  const file = join(directory, 'nats.conf');
  await writeFile(file, config);
  let { child, port } = await run(program, ['--port', '-1', '--config', file]);
  return {
    port,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    async start() {
      ({ child, port } = await run(program, ['--port', String(port), '--config', file]));
    },
  };
}

async function run(
  program: string,
  args: readonly string[],
): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(program, ['--addr', '127.0.0.1', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  child.once('exit', () => process.off('exit', endWithUs));
  const said: string[] = [];
  let port: number | undefined;
  for await (const line of createInterface(child.stderr)) {
    said.push(line);
    port ??= Number(/client connections on .*:(\d+)/.exec(line)?.[1] ?? Number.NaN) || undefined;
    if (port !== undefined && line.includes('Server is ready')) {
      child.stderr.resume();
      return { child, port };
    }
  }
  throw new Error(`nats-server did not start: ${said.join('\n')}`);
}
