import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseLockFile } from '../../server/src/postgres/lock-file.ts';
import { isAlive, isPostmasterOf } from '../../server/src/postgres/process-identity.ts';

const PREFIX = 'chatd-test-';

/** The name contains the pid, so that a later run can tell that the directory is abandoned. */
export async function makeTemporaryDirectory(): Promise<string> {
  await mkdir(tmpdir(), { recursive: true });
  const path = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  // As root, PostgreSQL runs under another account, which needs to traverse the directory.
  await chmod(path, process.geteuid?.() === 0 ? 0o711 : 0o700);
  return path;
}

/** Removes the directories and servers of killed runs. */
export async function removeAbandonedRuns(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  const abandoned = names.filter(
    (name) => name.startsWith(PREFIX) && !isAlive(Number.parseInt(name.slice(PREFIX.length), 10)),
  );
  for (const name of abandoned) endServersIn(join(tmpdir(), name));
}

/** Stops the servers without saving their data, then removes the directory. Synchronous, for use at process exit. */
export function endServersIn(directory: string): void {
  try {
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((file) => file.endsWith('postmaster.pid'))) {
      const path = join(directory, file);
      const pid = parseLockFile(readFileSync(path, 'utf8'))?.pid;
      if (pid !== undefined) end(pid, dirname(path));
    }
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  } catch {
    // Owned by another user, or being removed by another run. The next run removes the rest.
  }
}

function end(pid: number, cluster: string): void {
  if (!isPostmasterOf(pid, cluster)) return;
  process.kill(pid, 'SIGQUIT');
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (let looks = 0; looks < 250 && isPostmasterOf(pid, cluster); looks += 1) {
    Atomics.wait(never, 0, 0, 20);
  }
}
