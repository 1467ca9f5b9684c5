import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { startEmbeddedPostgres } from '../../src/postgres/index.ts';
import { inspectPostmaster } from '../../src/postgres/postmaster-pid.ts';
import { stopPostmaster } from '../../src/postgres/postmaster-stop.ts';
import { makeTemporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);

/** Not there yet; whatever is made in it, servers included, is gone after the test. */
export async function freshDataDirectory(name: string = 'data'): Promise<string> {
  const parent = await makeTemporaryDirectory();
  const dataDir = join(parent, name);
  onTestFinished(async () => {
    const found = await inspectPostmaster(clusterIn(dataDir));
    if ('file' in found) await stopPostmaster(found.file.pid, clusterIn(dataDir));
    await rm(parent, { recursive: true, force: true });
  });
  return dataDir;
}

/** For a file of tests that each begin with a database that was used before and stopped: copied, it takes no time. */
export function usedDataDirectories(): () => Promise<string> {
  let parent = '';
  beforeAll(async () => {
    parent = await makeTemporaryDirectory();
    const server = await startEmbeddedPostgres({ dataDir: join(parent, 'data') });
    await server.stop();
  });
  afterAll(() => rm(parent, { recursive: true, force: true }));
  return async () => {
    const dataDir = await freshDataDirectory();
    await run('cp', ['-a', join(parent, 'data'), dataDir]);
    return dataDir;
  };
}

export function clusterIn(dataDir: string): string {
  return join(dataDir, 'database', 'data');
}
