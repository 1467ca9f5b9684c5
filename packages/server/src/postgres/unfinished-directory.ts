import { randomBytes } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from './error-code.ts';
import { flush } from './durable.ts';
import { isAlive } from './process-identity.ts';

/** The error codes of a rename onto a non-empty directory. */
const TAKEN = new Set(['ENOTEMPTY', 'EEXIST']);
const madeHere = new Set<string>();

/**
 * A sibling in which a directory is built. It gets its final name only when complete, so that a crash leaves nothing
 * partial.
 */
export function unfinishedName(target: string): string {
  const path = `${target}.unfinished-${process.pid}-${randomBytes(4).toString('hex')}`;
  madeHere.add(path);
  return path;
}

/** Renames the finished directory. False: another process was first, and this copy is discarded. */
export async function finish(unfinished: string, target: string): Promise<boolean> {
  try {
    await flush(unfinished);
    await rename(unfinished, target);
    await flush(dirname(target));
    return true;
  } catch (error) {
    if (!TAKEN.has(codeOf(error) ?? '')) throw error;
    return false;
  } finally {
    await discard(unfinished);
  }
}

export async function discard(unfinished: string): Promise<void> {
  await rm(unfinished, { recursive: true, force: true, maxRetries: 5 });
  madeHere.delete(unfinished);
}

/** Removes leftovers of processes that died while building this target. */
export async function removeAbandoned(target: string): Promise<void> {
  const prefix = `${basename(target)}.unfinished-`;
  const names = await readdir(dirname(target)).catch(() => []);
  for (const name of names.filter((name) => name.startsWith(prefix))) {
    const path = join(dirname(target), name);
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    const inUse = pid === process.pid ? madeHere.has(path) : isAlive(pid);
    if (!inUse) await rm(path, { recursive: true, force: true, maxRetries: 5 });
  }
}
