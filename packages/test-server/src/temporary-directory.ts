import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseLockFile } from '../../server/src/postgres/lock-file.ts';
import { isAlive, isPostmasterOf } from '../../server/src/postgres/process-identity.ts';

const PREFIX = 'chatd-test-';

/** Named after its process, so that a later run can tell that nobody is left to remove it. */
export async function makeTemporaryDirectory(): Promise<string> {
  await mkdir(tmpdir(), { recursive: true });
  const path = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  // PostgreSQL runs under another account when we are root, and must be able to pass through.
  await chmod(path, process.geteuid?.() === 0 ? 0o711 : 0o700);
  return path;
}

/** What runs that were killed left behind. */
export async function removeAbandonedRuns(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  const abandoned = names.filter(
    (name) => name.startsWith(PREFIX) && !isAlive(Number.parseInt(name.slice(PREFIX.length), 10)),
  );
  for (const name of abandoned) endServersIn(join(tmpdir(), name));
}

/** Without regard for their data, and within one turn of the event loop: there may be no other. Then the directory. */
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
    // Another user's, or being removed by another run at this moment; what is left, the next run removes.
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
