import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { throwIfInterrupted } from './signals.mjs';

const POLL_MS = 200;

/**
 * Serializes installations across the processes of this checkout. The lock is a directory that is renamed into place with
 * the PID of its owner inside. Any process may remove the lock of a dead owner.
 */
export async function withLock(path, work) {
  await acquire(path);
  try {
    return await work();
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

async function acquire(path) {
  await mkdir(dirname(path), { recursive: true });
  const mine = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  await mkdir(mine);
  await writeFile(join(mine, 'owner'), String(process.pid));
  let told = false;
  try {
    while (!(await renamed(mine, path))) {
      const owner = await ownerOf(path);
      if (owner === undefined) continue;
      if (!isAlive(owner)) {
        await removeDead(path, owner);
        continue;
      }
      if (!told) {
        told = true;
        console.error(
          `chatd: waiting for another command that installs into this checkout (pid ${owner}). ` +
            `If there is none: rm -r '${path}'`,
        );
      }
      await sleep(POLL_MS);
      throwIfInterrupted();
    }
  } finally {
    await rm(mine, { recursive: true, force: true });
  }
}

async function ownerOf(path) {
  return readFile(join(path, 'owner'), 'utf8').then(Number, () => undefined);
}

/** Another process may have replaced the lock meanwhile, so the removed lock is checked and restored. */
async function removeDead(path, owner) {
  const taken = `${path}.dead-${process.pid}-${randomBytes(4).toString('hex')}`;
  if (!(await renamed(path, taken))) return;
  if ((await ownerOf(taken)) !== owner && (await renamed(taken, path))) return;
  await rm(taken, { recursive: true, force: true });
}

/** False if the target exists or the source is missing. */
async function renamed(from, to) {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(error.code)) return false;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
