import { execFile } from 'node:child_process';
import { chmod, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { PostgresAccount } from './account.ts';
import { PostgresError } from './postgres-error.ts';

const run = promisify(execFile);

/**
 * Lets the account of PostgreSQL traverse the data directory (its secrets have mode 0600). Folders above are not
 * changed.
 */
export async function makeReachable(
  dataDir: string,
  account: PostgresAccount | undefined,
): Promise<void> {
  if (account === undefined || (await canEnter(dataDir, account))) return;
  await chmod(dataDir, ((await stat(dataDir)).mode & 0o777) | 0o011);
  if (await canEnter(dataDir, account)) return;
  const closed = await firstClosedDirectory(dataDir, account);
  throw new PostgresError({
    kind: 'unreachable_directory',
    message:
      `chatd runs as root, so PostgreSQL runs as user "${account.name}", ` +
      `which cannot access ${closed} on the way to the data directory ${dataDir}.`,
    hint:
      'Set CHATD_DATA_DIR to another data directory (for example /var/lib/chatd), ' +
      `run chatd as a normal user, or run: chmod o+x '${closed}'`,
  });
}

/** Tested under that account, because mode bits do not show access control lists. */
async function canEnter(directory: string, account: PostgresAccount): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', 'cd -- "$1"', 'sh', directory], {
      uid: account.uid,
      gid: account.gid,
      cwd: '/',
    });
    return true;
  } catch {
    return false;
  }
}

async function firstClosedDirectory(directory: string, account: PostgresAccount): Promise<string> {
  const parent = dirname(directory);
  if (parent === directory || (await canEnter(parent, account))) return directory;
  return firstClosedDirectory(parent, account);
}
