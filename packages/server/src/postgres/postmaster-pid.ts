import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from './error-code.ts';
import { isPostmasterOf } from './process-identity.ts';

/** What a running PostgreSQL writes about itself into its data directory, line by line. */
export interface PostmasterPid {
  readonly pid: number;
  readonly socketDirectory: string;
  readonly status: string;
}

export type Postmaster =
  | { readonly state: 'absent' }
  /** Nobody is behind the file: its process is gone, or is no PostgreSQL of this directory. */
  | { readonly state: 'stale'; readonly text: string }
  /** Created and not yet written; lasts for a moment, or for ever when the machine died just then. */
  | { readonly state: 'empty'; readonly text: string }
  | { readonly state: 'starting' | 'ready' | 'stopping'; readonly file: PostmasterPid };

export function parsePostmasterPid(text: string): PostmasterPid | undefined {
  const lines = text.split('\n');
  // Negative: a single-user server, which nobody can connect to; it, too, holds the directory.
  const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10));
  if (!Number.isSafeInteger(pid) || pid === 0) return undefined;
  return { pid, socketDirectory: lines[4] ?? '', status: (lines[7] ?? '').trim() };
}

export async function inspectPostmaster(clusterDir: string): Promise<Postmaster> {
  const text = await readFile(pathOf(clusterDir), 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return { state: 'absent' };
  const file = parsePostmasterPid(text);
  if (file === undefined) return { state: 'empty', text };
  if (!isPostmasterOf(file.pid, clusterDir)) return { state: 'stale', text };
  return { state: stateOf(file.status), file };
}

const STATES: Record<string, 'starting' | 'ready' | 'stopping'> = {
  starting: 'starting',
  standby: 'starting',
  ready: 'ready',
  stopping: 'stopping',
};

function stateOf(status: string): 'starting' | 'ready' | 'stopping' {
  return STATES[status] ?? 'starting';
}

/**
 * Removes exactly the file that was judged stale. Another starter may have judged the same one and started a server
 * meanwhile, whose file bears the same name: what was taken away is looked at again, and given back if it is another.
 */
export async function removeStale(clusterDir: string, judged: string): Promise<void> {
  const path = pathOf(clusterDir);
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

function pathOf(clusterDir: string): string {
  return join(clusterDir, 'postmaster.pid');
}
