import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { Client } from 'pg';
import { chooseAccount } from '../../../server/src/postgres/account.ts';
import { eventually } from '../eventually.ts';
import { makeTemporaryDirectory } from '../temporary-directory.ts';

export interface PgBouncer {
  /** The same database, through PgBouncer. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Debian installs it in a directory that only root has in its PATH. */
export function findPgBouncer(): string | undefined {
  return [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
    .map((folder) => join(folder, 'pgbouncer'))
    .find(existsSync);
}

/** A temporary PgBouncer in front of one database, with these settings. */
export async function startPgBouncer(
  databaseUrl: string,
  settings: Readonly<Record<string, string | number>>,
  [program = 'pgbouncer', ...args]: readonly string[] = [findPgBouncer() ?? 'pgbouncer'],
): Promise<PgBouncer> {
  const directory = await makeTemporaryDirectory();
  const port = await freePort();
  const target = new URL(databaseUrl);
  const database = target.pathname.slice(1);
  const connection = {
    host: target.searchParams.get('host') ?? target.hostname,
    port: target.port === '' ? '5432' : target.port,
    user: target.username,
    password: decodeURIComponent(target.password),
  };
  const file = join(directory, 'pgbouncer.ini');
  const lines = Object.entries({
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    ...settings,
  }).map(([name, value]) => `${name} = ${value}`);
  const words = Object.entries(connection).map(([name, value]) => `${name}=${value}`);
  await writeFile(
    file,
    `[databases]\n${database} = ${words.join(' ')}\n[pgbouncer]\n${lines.join('\n')}\n`,
    { mode: 0o600 },
  );
  const account = await chooseAccount(undefined);
  if (account !== undefined) await chown(file, account.uid, account.gid);
  // PgBouncer refuses to run as root.
  const child = spawn(program, [...args, '-q', file], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ...(account !== undefined && { uid: account.uid, gid: account.gid }),
  });
  const endWithUs = () => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const url = `postgresql://${target.username}@127.0.0.1:${port}/${database}`;
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}.`);
    await answers(url);
  });
  return {
    url,
    async stop() {
      process.off('exit', endWithUs);
      await end(child);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function answers(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.end();
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
