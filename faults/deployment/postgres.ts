import { execFile } from 'node:child_process';
import { chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { type PostgresAccount, chooseAccount } from '../../packages/server/src/postgres/account.ts';
import { type Installation, install } from '../../packages/server/src/postgres/installation.ts';
import { findPlatformPackage } from '../../packages/server/src/postgres/platform-package.ts';
import { runPostmaster } from '../../packages/server/src/postgres/postmaster.ts';
import { stopPostmaster } from '../../packages/server/src/postgres/postmaster-stop.ts';
import { isPostmasterOf } from '../../packages/server/src/postgres/process-identity.ts';
import { findExternalPostgres } from '@chatd/test-server/programs';
import { endServersIn, makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';

const run = promisify(execFile);
const PASSWORD = 'faults';
const POLL_MS = 20;

/** A dedicated PostgreSQL server that tests can crash. */
export interface Postgres {
  readonly version: string;
  /** The Unix socket, the only listener. */
  readonly socket: string;
  urlOf(database: string): string;
  /** The same database through a proxy. */
  urlThrough(port: number, database: string): string;
  createDatabase(name: string): Promise<void>;
  isRunning(): boolean;
  /** Like `pg_ctl stop -m immediate`: no checkpoint, recovery at the next start. */
  crash(): Promise<void>;
  /** Sends SIGKILL to all its processes, as a power loss would. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Parent of the data directory. Default: a temporary directory. */
  readonly dataParent?: string;
  readonly settings?: Record<string, string>;
  /** Additional environment variables of the server. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Uses the system's PostgreSQL if installed, otherwise the embedded one. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const directory = await makeTemporaryDirectory();
  const stopAtExit = () => endServersIn(options.dataParent ?? directory);
  process.once('exit', stopAtExit);
  const account = await chooseAccount(undefined);
  const installation = await findInstallation(directory);
  const cluster = {
    dir: join(options.dataParent ?? directory, 'data'),
    password: PASSWORD,
  };
  await initialize(installation, account, cluster.dir, directory);
  const plan = {
    installation: {
      ...installation,
      environment: { ...installation.environment, ...options.environment },
    },
    cluster,
    account,
    socketDirectory: join(directory, 'socket'),
    logFile: join(directory, 'postgres.log'),
    settings: { max_connections: '100', ...options.settings },
    onProgress: () => undefined,
  };
  let server = await runPostmaster(plan);
  const { socketDirectory } = server;
  const urlOf = (database: string) =>
    `postgresql://chatd:${PASSWORD}@localhost/${database}?host=${encodeURIComponent(socketDirectory)}`;
  return {
    version: installation.version,
    socket: join(socketDirectory, '.s.PGSQL.5432'),
    urlOf,
    urlThrough: (port, database) => `postgresql://chatd:${PASSWORD}@127.0.0.1:${port}/${database}`,
    async createDatabase(name) {
      const client = new Client({ connectionString: urlOf('postgres') });
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
    },
    isRunning: () => isPostmasterOf(server.pid, cluster.dir),
    async crash() {
      process.kill(server.pid, 'SIGQUIT');
      while (isPostmasterOf(server.pid, cluster.dir)) await sleep(POLL_MS);
    },
    async kill() {
      // Stop the postmaster first, so that it neither starts nor signals processes.
      process.kill(server.pid, 'SIGSTOP');
      for (const pid of await childrenOf(server.pid)) killIfAlive(pid);
      process.kill(server.pid, 'SIGKILL');
      while (isPostmasterOf(server.pid, cluster.dir)) await sleep(POLL_MS);
    },
    async start() {
      server = await runPostmaster(plan);
    },
    async stop() {
      await stopPostmaster(server.pid, cluster.dir);
      process.off('exit', stopAtExit);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', String(pid)]).catch(() => ({
    stdout: '',
  }));
  return stdout
    .split('\n')
    .map(Number)
    .filter((child) => child > 0);
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

async function findInstallation(directory: string): Promise<Installation> {
  const bin = await findExternalPostgres();
  if (bin === undefined) {
    return await install(await findPlatformPackage(), join(directory, 'programs'), () => undefined);
  }
  const { stdout } = await run(join(bin, 'postgres'), ['--version']);
  const version = /\d+[.\d]*/.exec(stdout)?.[0] ?? '';
  return {
    version,
    major: version.split('.')[0] ?? '',
    postgres: join(bin, 'postgres'),
    initdb: join(bin, 'initdb'),
    environment: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, LC_ALL: 'C', TZ: 'UTC' },
  };
}

async function initialize(
  { initdb, environment }: Installation,
  account: PostgresAccount | undefined,
  dir: string,
  directory: string,
): Promise<void> {
  const passwordFile = join(directory, 'password');
  await writeFile(passwordFile, PASSWORD);
  await mkdir(dir, { mode: 0o700 });
  if (account !== undefined) await chown(dir, account.uid, account.gid);
  await run(
    initdb,
    [
      `--pgdata=${dir}`,
      '--username=chatd',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ],
    {
      cwd: dirname(dir),
      env: environment,
      ...(account !== undefined && { uid: account.uid, gid: account.gid }),
    },
  );
}
