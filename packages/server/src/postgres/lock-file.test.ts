import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseLockFile, removeStale } from './lock-file.ts';

const READY = '4711\n/var/lib/data\n1763200000\n5432\n/run/my socket\n\n  1234  5\nready   \n';

test('a pid file has the process ID, the socket directory and the status', () => {
  expect(parseLockFile(READY)).toEqual({
    pid: 4711,
    socketDirectory: '/run/my socket',
    status: 'ready',
  });
});

test('the negative process ID of a single-user server is accepted', () => {
  expect(parseLockFile('-4711\n/var/lib/data\n')).toMatchObject({ pid: 4711 });
});

test.each(['', '\n', 'nonsense\n', '0\n'])('%j is not a pid file', (text) => {
  expect(parseLockFile(text)).toBe(undefined);
});

test('a stale file is removed', async () => {
  const path = await fileWith('old');
  await removeStale(path, 'old');
  expect(await readdir(join(path, '..'))).toEqual([]);
});

test('a file that another server wrote after the check is kept', async () => {
  const path = await fileWith('new');
  await removeStale(path, 'old');
  expect(await readFile(path, 'utf8')).toBe('new');
  expect(await readdir(join(path, '..'))).toEqual(['postmaster.pid']);
});

test('a file that is already gone is not an error', async () => {
  const path = await fileWith('old');
  await rm(path);
  await removeStale(path, 'old');
});

async function fileWith(text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'chatd-lock-file-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, 'postmaster.pid');
  await writeFile(path, text);
  return path;
}
