import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from './error-code.ts';
import type { PostgresAccount } from './account.ts';
import { parseLockFile, readLockFile, removeStale } from './lock-file.ts';
import { PostgresError } from './postgres-error.ts';
import { isPostmasterOf } from './process-identity.ts';

/** A socket path must fit into a sockaddr: 108 bytes on Linux, 104 on macOS, including the terminator. */
const MAX_PATH_LENGTH = 100;
const SOCKET = '.s.PGSQL.5432';

/** In the data directory if the path is short enough, otherwise a private directory in the temporary folder. */
export function socketDirectoryFor(dataDir: string, temporary: string = tmpdir()): string {
  const inside = join(dataDir, 'socket');
  if (Buffer.byteLength(join(inside, SOCKET)) <= MAX_PATH_LENGTH) return inside;
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const outside = join(temporary, `chatd-${name}`);
  // TMPDIR may be too long as well; /tmp is always short.
  return Buffer.byteLength(join(outside, SOCKET)) <= MAX_PATH_LENGTH
    ? outside
    : `/tmp/chatd-${name}`;
}

/** The owner of this directory could impersonate PostgreSQL, so an existing one is verified. */
export async function makeSocketDirectory(
  path: string,
  account: PostgresAccount | undefined,
): Promise<void> {
  const owner = account?.uid ?? process.geteuid?.();
  try {
    await mkdir(path, { mode: 0o700 });
    if (account !== undefined) await chown(path, account.uid, account.gid);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    const found = await lstat(path);
    // Owned by the other account (root or user) after an interrupted creation. Root can fix it.
    const foreign =
      !found.isDirectory() || (found.uid !== owner && found.uid !== process.geteuid?.());
    if (foreign) throw notPrivate(path);
    if (account !== undefined) await chown(path, account.uid, account.gid);
  }
  await chmod(path, 0o700);
}

/** Left by a killed server. PostgreSQL considers it live while any process has its pid. */
export async function removeStaleSocketLock(path: string, clusterDir: string): Promise<void> {
  const lock = join(path, `${SOCKET}.lock`);
  const text = await readLockFile(lock);
  if (text === undefined) return;
  const file = parseLockFile(text);
  if (file !== undefined && !isPostmasterOf(file.pid, clusterDir)) await removeStale(lock, text);
}

/** Call after the server has ended. It removes its own socket unless it was killed. */
export async function removeSocketDirectory(path: string): Promise<void> {
  await rm(join(path, SOCKET), { force: true });
  await rm(join(path, `${SOCKET}.lock`), { force: true });
  await rmdir(path).catch(() => undefined);
}

function notPrivate(path: string): PostgresError {
  return new PostgresError({
    kind: 'foreign_data_directory',
    message: `${path}, the folder of PostgreSQL's socket, was created by another user.`,
    hint: `Remove it (sudo rm -r '${path}'), or set TMPDIR to a directory of your own.`,
  });
}
