import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { startEmbeddedPostgres } from '../../src/postgres/index.ts';
import { endServersIn, makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';

const run = promisify(execFile);

/** A path that does not exist yet. After the test, its servers are stopped and its content is deleted. */
export async function freshDataDirectory(name: string = 'data'): Promise<string> {
  const parent = await makeTemporaryDirectory();
  const dataDir = join(parent, name);
  onTestFinished(() => endServersIn(parent));
  return dataDir;
}

/** Copies of a data directory that is initialized once per test file, because that is slow. */
export interface PreparedDataDirectories {
  /** With a database that was used before and stopped. */
  used(): Promise<string>;
  /** With PostgreSQL's programs and nothing else. */
  unpacked(name?: string): Promise<string>;
}

export function prepareDataDirectories(): PreparedDataDirectories {
  let original = '';
  beforeAll(async () => {
    original = join(await makeTemporaryDirectory(), 'data');
    const server = await startEmbeddedPostgres({ dataDir: original });
    await server.stop();
  });
  afterAll(() => rm(dirname(original), { recursive: true, force: true }));
  return {
    async used() {
      const dataDir = await freshDataDirectory();
      await run('cp', ['-a', original, dataDir]);
      return dataDir;
    },
    async unpacked(name) {
      const dataDir = await freshDataDirectory(name);
      await mkdir(dataDir, { recursive: true, mode: 0o711 });
      await run('cp', ['-a', join(original, 'postgres'), dataDir]);
      return dataDir;
    },
  };
}

export function clusterIn(dataDir: string): string {
  return join(dataDir, 'database', 'data');
}
