import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseLockFile, removeStale } from './lock-file.ts';

const READY = '4711\n/var/lib/data\n1763200000\n5432\n/run/my socket\n\n  1234  5\nready   \n';

test('a pid file says who runs, where its socket is and how far it is', () => {
  expect(parseLockFile(READY)).toEqual({
    pid: 4711,
    socketDirectory: '/run/my socket',
    status: 'ready',
  });
});

test('a single-user server, marked by a negative pid, counts as well', () => {
  expect(parseLockFile('-4711\n/var/lib/data\n')).toMatchObject({ pid: 4711 });
});

test.each(['', '\n', 'nonsense\n', '0\n'])('%j says nothing', (text) => {
  expect(parseLockFile(text)).toBe(undefined);
});

test('the file that was judged is removed', async () => {
  const path = await fileWith('old');
  await removeStale(path, 'old');
  expect(await readdir(join(path, '..'))).toEqual([]);
});

test('a file that another server wrote after the judgement stays', async () => {
  const path = await fileWith('new');
  await removeStale(path, 'old');
  expect(await readFile(path, 'utf8')).toBe('new');
  expect(await readdir(join(path, '..'))).toEqual(['postmaster.pid']);
});

test('a file that is gone by now is fine', async () => {
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
