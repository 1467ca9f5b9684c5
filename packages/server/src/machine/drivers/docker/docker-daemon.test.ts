import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { DockerDaemon, dockerVersion } from './docker-daemon.ts';

const directory = await makeTemporaryDirectory();
afterAll(() => rm(directory, { recursive: true, force: true }));

/** A stand-in for the Docker CLI that records its calls. */
async function cli(name: string, script: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, `#!/bin/sh\necho "$@" >> "$0.log"\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

test('Docker is available if its daemon answers, which is not asked each time', async () => {
  const program = await cli('works', 'echo 28.2.2');
  expect(await dockerVersion(program)).toBe('28.2.2');
  const daemon = new DockerDaemon(program);
  expect(await Promise.all([daemon.isAvailable(), daemon.isAvailable()])).toEqual([true, true]);
  const calls = await readFile(`${program}.log`, 'utf8');
  expect(calls.match(/^version /gm)).toHaveLength(2);
});

test('Docker is not available without its daemon, or if it is not installed', async () => {
  const away = await cli('away', 'echo "Cannot connect to the Docker daemon" >&2; exit 1');
  expect(await new DockerDaemon(away).isAvailable()).toBe(false);
  const missing = join(directory, 'missing');
  expect(await new DockerDaemon(missing).isAvailable()).toBe(false);
  await expect(dockerVersion(missing)).rejects.toMatchObject({ code: 'ENOENT' });
});
