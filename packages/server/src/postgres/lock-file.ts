import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm } from 'node:fs/promises';
import { codeOf } from './error-code.ts';

/** The lock file that a running PostgreSQL writes to its data directory and next to its socket. */
export interface LockFile {
  readonly pid: number;
  readonly socketDirectory: string;
  readonly status: string;
}

export function parseLockFile(text: string): LockFile | undefined {
  const lines = text.split('\n');
  // Negative: a single-user server. It accepts no connections but holds the directory.
  const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10));
  if (!Number.isSafeInteger(pid) || pid === 0) return undefined;
  return { pid, socketDirectory: lines[4] ?? '', status: (lines[7] ?? '').trim() };
}

export async function readLockFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Removes exactly the file that was found stale. Another process may have replaced it with the file of a running server
 * meanwhile, so the removed file is compared and restored if it differs.
 */
export async function removeStale(path: string, judged: string): Promise<void> {
  const taken = `${path}.stale-${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await rename(path, taken);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  if ((await readFile(taken, 'utf8')) !== judged) await link(taken, path);
  await rm(taken);
}
