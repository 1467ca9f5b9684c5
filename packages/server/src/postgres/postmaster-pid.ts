import { join } from 'node:path';
import { parseLockFile, readLockFile } from './lock-file.ts';
import type { LockFile } from './lock-file.ts';
import { isPostmasterOf } from './process-identity.ts';

/** Who runs on a data directory, by the file that PostgreSQL keeps there and by the process it names. */
export type Postmaster =
  | { readonly state: 'absent' }
  /** Nobody is behind the file: its process is gone, or is no PostgreSQL of this directory. */
  | { readonly state: 'stale'; readonly text: string }
  /** Created and not yet written; lasts for a moment, or for ever when the machine died just then. */
  | { readonly state: 'empty'; readonly text: string }
  | { readonly state: 'starting' | 'ready' | 'stopping'; readonly file: LockFile };

export async function inspectPostmaster(clusterDir: string): Promise<Postmaster> {
  const text = await readLockFile(pidFileOf(clusterDir));
  if (text === undefined) return { state: 'absent' };
  const file = parseLockFile(text);
  if (file === undefined) return { state: 'empty', text };
  if (!isPostmasterOf(file.pid, clusterDir)) return { state: 'stale', text };
  return { state: stateOf(file.status), file };
}

function stateOf(status: string): 'starting' | 'ready' | 'stopping' {
  return status === 'ready' || status === 'stopping' ? status : 'starting';
}

export function pidFileOf(clusterDir: string): string {
  return join(clusterDir, 'postmaster.pid');
}
