import { randomBytes } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from './error-code.ts';
import { flush } from './durable.ts';
import { isAlive } from './process-identity.ts';

/** What a rename onto a directory that is not empty fails with, by system. */
const TAKEN = new Set(['ENOTEMPTY', 'EEXIST']);
const madeHere = new Set<string>();

/** A sibling to build in: what is not complete never bears its final name, so a crash leaves nothing half made. */
export function unfinishedName(target: string): string {
  const path = `${target}.unfinished-${process.pid}-${randomBytes(4).toString('hex')}`;
  madeHere.add(path);
  return path;
}

/** Gives the finished directory its name. False when somebody else was first: theirs counts, ours is dropped. */
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

/** Removes what starters that died in the middle left of this target; leaves alone what a living one is building. */
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
