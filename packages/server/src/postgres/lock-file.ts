import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm } from 'node:fs/promises';
import { codeOf } from './error-code.ts';

/** What a running PostgreSQL writes about itself, line by line, into its data directory and beside its socket. */
export interface LockFile {
  readonly pid: number;
  readonly socketDirectory: string;
  readonly status: string;
}

export function parseLockFile(text: string): LockFile | undefined {
  const lines = text.split('\n');
  // Negative: a single-user server, which nobody can connect to; it, too, holds the directory.
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
 * Removes exactly the file that was judged stale. Another starter may have judged the same one and started a server
 * meanwhile, whose file bears the same name: what was taken away is looked at again, and given back if it is another.
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
