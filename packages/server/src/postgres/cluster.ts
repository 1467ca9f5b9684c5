import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from './error-code.ts';
import type { PostgresAccount } from './account.ts';
import { writeDurably } from './durable.ts';
import type { Installation } from './installation.ts';
import { PostgresError } from './postgres-error.ts';
import { discard, finish, removeAbandoned, unfinishedName } from './unfinished-directory.ts';

const run = promisify(execFile);

export const SUPERUSER = 'chatd';

/** The database files and their password, which are created and renamed together. */
export interface Cluster {
  readonly dir: string;
  readonly password: string;
}

export async function clusterOwner(
  home: string,
): Promise<{ uid: number; gid: number } | undefined> {
  return stat(home).catch(() => undefined);
}

export async function openCluster(input: {
  home: string;
  installation: Installation;
  account: PostgresAccount | undefined;
  onProgress: (line: string) => void;
  signal?: AbortSignal | undefined;
}): Promise<Cluster> {
  const { home, installation } = input;
  if ((await clusterOwner(home)) === undefined) {
    input.onProgress(`Creating a PostgreSQL ${installation.major} database in ${home}`);
    await createCluster(input);
  }
  const dir = join(home, 'data');
  const [major, password] = await Promise.all([
    readOwn(join(dir, 'PG_VERSION')),
    readOwn(join(home, 'password')),
  ]);
  if (major !== installation.major) throw otherMajor(home, major, installation.major);
  return { dir, password };
}

async function createCluster(input: {
  home: string;
  installation: Installation;
  account: PostgresAccount | undefined;
  signal?: AbortSignal | undefined;
}): Promise<void> {
  const { home, installation, account, signal } = input;
  await removeAbandoned(home);
  const unfinished = unfinishedName(home);
  try {
    await mkdir(unfinished, { mode: 0o700 });
    const passwordFile = join(unfinished, 'password');
    await writeDurably(passwordFile, randomBytes(24).toString('base64url'), 0o600);
    if (account !== undefined) {
      await chown(passwordFile, account.uid, account.gid);
      await chown(unfinished, account.uid, account.gid);
    }
    // initdb flushes its own files; finish() flushes the directories around them.
    await run(
      installation.initdb,
      [
        `--pgdata=${join(unfinished, 'data')}`,
        `--username=${SUPERUSER}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        '--no-instructions',
      ],
      {
        cwd: unfinished,
        env: installation.environment,
        ...(account === undefined ? {} : { uid: account.uid, gid: account.gid }),
        ...(signal === undefined ? {} : { signal }),
      },
    );
    await finish(unfinished, home);
  } catch (error) {
    await discard(unfinished);
    throw initialisationFailed(home, error);
  }
}

async function readOwn(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    const denied = codeOf(error) === 'EACCES';
    throw new PostgresError({
      kind: 'foreign_data_directory',
      message: denied
        ? `${path} belongs to another user, who created the database.`
        : `Reading ${path} failed: the database directory is damaged or incomplete.`,
      hint: denied
        ? 'Start chatd as the user who created it (or as root), or choose another CHATD_DATA_DIR.'
        : 'Restore the data directory from a backup, or choose another CHATD_DATA_DIR.',
      cause: error,
    });
  }
}

function otherMajor(home: string, found: string, ours: string): PostgresError {
  return new PostgresError({
    kind: 'other_major_version',
    message: `The database in ${home} was written by PostgreSQL ${found}; this version of chatd includes PostgreSQL ${ours}.`,
    hint:
      `Start the chatd version that includes PostgreSQL ${found}, make a dump (pg_dump), and load it into a ` +
      'new CHATD_DATA_DIR with this version. Nothing was changed.',
  });
}

function initialisationFailed(home: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('stderr' in error) || error.name === 'AbortError')
    return error;
  const output = String(error.stderr).trim();
  const cannotRun = ['ENOENT', 'EACCES', 'ENOEXEC'].includes(codeOf(error) ?? '');
  return new PostgresError({
    kind: cannotRun ? 'unsupported_platform' : 'initialisation_failed',
    message: `Creating the PostgreSQL database in ${home} failed:\n${output || error.message}`,
    hint: INITIALISATION_HINTS.find(({ when }) => cannotRun || output.includes(when))?.hint ?? '',
    cause: error,
  });
}

/** By the output of initdb. The first entry also covers empty output, when the system could not run it. */
const INITIALISATION_HINTS = [
  {
    when: 'error while loading shared libraries',
    hint:
      'PostgreSQL needs a system with glibc (Alpine has musl) and a file system that allows programs (no "noexec"). ' +
      'Set CHATD_DATABASE_URL to an external PostgreSQL, or choose another CHATD_DATA_DIR.',
  },
  {
    when: 'could not look up effective user ID',
    hint:
      'PostgreSQL requires an account with a name: run chatd under one, add this user id to ' +
      '/etc/passwd, or set CHATD_DATABASE_URL to an external PostgreSQL.',
  },
  {
    when: '',
    hint: 'Check that the disk has free space and the directory is writable. No partial files were left behind.',
  },
];
