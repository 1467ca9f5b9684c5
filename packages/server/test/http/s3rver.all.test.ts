import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { openStorage } from '../../src/store/files/open-storage.ts';
import { S3Storage } from '../../src/store/files/s3-storage.ts';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';

/**
 * Installs s3rver for this test only and starts it. It checks keys but no version 4 signatures, which the fake server of
 * the other tests checks.
 */
async function startS3rver(): Promise<URL> {
  const directory = await makeTemporaryDirectory();
  await writeFile(join(directory, 'package.json'), '{"private":true,"type":"module"}');
  const install = ['install', 's3rver@3.7.1', '--no-audit', '--no-fund', '--ignore-scripts'];
  await promisify(execFile)('npm', install, { cwd: directory });
  const program = `
    import S3rver from 's3rver';
    const options = { address: '127.0.0.1', port: 0, silent: true, directory: 'data' };
    const server = new S3rver({ ...options, configureBuckets: [{ name: 'chatd-files' }] });
    const { port } = await server.run();
    console.log(port);`;
  await writeFile(join(directory, 'run.js'), program);
  const child = spawn(process.execPath, ['run.js'], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.kill();
    await rm(directory, { recursive: true, force: true });
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return new URL(`http://S3RVER:S3RVER@127.0.0.1:${Number(line.toString())}/chatd-files/prefix`);
}

test('files are stored in s3rver', async () => {
  const url = await startS3rver();
  const storage = new S3Storage({ url: url.href });
  const bytes = Buffer.alloc(10 * 1024 * 1024, 7);
  await storage.put('a', bytes);
  expect((await storage.get('a'))?.equals(bytes)).toBe(true);
  await storage.delete('a');
  expect(await storage.get('a')).toBeUndefined();
  await storage.delete('a');
  expect(await openStorage(url.href)).toBeDefined();
  const wrong = new URL(url);
  wrong.username = 'unknown';
  await expect(openStorage(wrong.href)).rejects.toThrow('403 InvalidAccessKeyId');
  const missing = new URL(url);
  missing.pathname = '/missing';
  await expect(openStorage(missing.href)).rejects.toThrow('404 NoSuchBucket');
});
