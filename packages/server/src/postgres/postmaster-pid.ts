import { join } from 'node:path';
import { parseLockFile, readLockFile } from './lock-file.ts';
import type { LockFile } from './lock-file.ts';
import { isPostmasterOf } from './process-identity.ts';

/** The PostgreSQL that uses a data directory, according to its pid file and the process it names. */
export type Postmaster =
  | { readonly state: 'absent' }
  /** The process is gone, or is not a PostgreSQL of this directory. */
  | { readonly state: 'stale'; readonly text: string }
  /** Created but not yet written. Lasts a moment, or forever if the host crashed. */
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
