import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspectPostmaster } from '../../src/postgres/postmaster-pid.ts';
import { stopPostmaster } from '../../src/postgres/postmaster-stop.ts';
import { isAlive } from '../../src/postgres/process-identity.ts';

const PREFIX = 'chatd-test-';

/** Named after its process, so that a later run can tell that nobody is left to remove it. */
export async function makeTemporaryDirectory(): Promise<string> {
  await mkdir(tmpdir(), { recursive: true });
  const path = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  // PostgreSQL runs under another account when we are root, and must be able to pass through.
  await chmod(path, process.geteuid?.() === 0 ? 0o711 : 0o700);
  return path;
}

/** What runs that were killed left behind: their servers, then their directories. */
export async function removeAbandonedRuns(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  const abandoned = names.filter(
    (name) => name.startsWith(PREFIX) && !isAlive(Number.parseInt(name.slice(PREFIX.length), 10)),
  );
  for (const name of abandoned) {
    const path = join(tmpdir(), name);
    await stopServersIn(path).catch(() => undefined);
    // Another user's, or being removed by another run at this moment: theirs to remove.
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function stopServersIn(directory: string): Promise<void> {
  const files = await readdir(directory, { recursive: true });
  const clusters = files.filter((file) => file.endsWith('postmaster.pid'));
  for (const file of clusters) {
    const cluster = join(directory, file, '..');
    const found = await inspectPostmaster(cluster);
    if ('file' in found) await stopPostmaster(found.file.pid, cluster);
  }
}
