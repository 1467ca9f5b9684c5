import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { chooseAccount } from '../../../server/src/postgres/account.ts';
import { ensureDatabase } from '../../../server/src/postgres/connection.ts';
import { runPostmaster } from '../../../server/src/postgres/postmaster.ts';
import { stopPostmaster } from '../../../server/src/postgres/postmaster-stop.ts';
import { makeTemporaryDirectory } from '../temporary-directory.ts';

const run = promisify(execFile);
const DEBIAN = '/usr/lib/postgresql';

/** A temporary cluster of the system's PostgreSQL. */
export interface ExternalPostgres {
  readonly url: string;
  readonly major: string;
  readonly pid: number;
  readonly directory: string;
  stop(): Promise<void>;
}

/** The `bin` directory of the newest PostgreSQL server of the system. Undefined if only a client is installed. */
export async function findExternalPostgres(): Promise<string | undefined> {
  const names = await readdir(DEBIAN).catch(() => []);
  const majors = names.map(Number).filter(Number.isInteger);
  const candidates = majors
    .sort((a, b) => b - a)
    .map((major) => join(DEBIAN, String(major), 'bin'));
  const configured = await run('pg_config', ['--bindir']).then(
    ({ stdout }) => [stdout.trim()],
    () => [],
  );
  return [...candidates, ...configured].find((bin) => existsSync(join(bin, 'initdb')));
}

export async function startExternalPostgres(
  options: { settings?: Record<string, string> } = {},
): Promise<ExternalPostgres> {
  const bin = await findExternalPostgres();
  if (bin === undefined) {
    throw new Error(
      `This suite needs a PostgreSQL server of the system's (${DEBIAN}/*/bin or pg_config), and there is none. ` +
        'Install it: apt-get install postgresql',
    );
  }
  const directory = await makeTemporaryDirectory();
  const account = await chooseAccount(undefined);
  const environment = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, LC_ALL: 'C', TZ: 'UTC' };
  const cluster = { dir: join(directory, 'data'), password: 'external' };
  const passwordFile = join(directory, 'password');
  await writeFile(passwordFile, cluster.password);
  await mkdir(cluster.dir, { mode: 0o700 });
  if (account !== undefined) await chown(cluster.dir, account.uid, account.gid);
  await run(
    join(bin, 'initdb'),
    [
      `--pgdata=${cluster.dir}`,
      '--username=chatd',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ],
    {
      cwd: dirname(cluster.dir),
      env: environment,
      ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
    },
  );
  const { stdout } = await run(join(bin, 'postgres'), ['--version']);
  const version = /\d+[.\d]*/.exec(stdout)?.[0] ?? '';
  const major = version.split('.')[0] ?? '';
  const server = await runPostmaster({
    installation: {
      version,
      major,
      postgres: join(bin, 'postgres'),
      initdb: join(bin, 'initdb'),
      environment,
    },
    cluster,
    account,
    socketDirectory: join(directory, 'socket'),
    logFile: join(directory, 'postgres.log'),
    settings: options.settings ?? {},
    onProgress: () => undefined,
  });
  return {
    url: await ensureDatabase(cluster, server.socketDirectory),
    major,
    pid: server.pid,
    directory,
    async stop() {
      await stopPostmaster(server.pid, cluster.dir);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
