import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Journal } from './journal.ts';

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'chatd-journal-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

const started = (call: string, command = 'true') => ({
  workspace: 'w',
  call,
  file: call,
  id: `p-${call}`,
  command,
  cwd: '/',
  startedAt: 0,
  background: false,
});

test('a log that cannot be read is not replaced by an empty one', async () => {
  const directory = await newDirectory();
  await mkdir(join(directory, 'log'));
  await expect(Journal.open(directory, Date.now)).rejects.toThrow('EISDIR');
});

test('calls are accepted while the log cannot be compacted', async () => {
  const directory = await newDirectory();
  const journal = await Journal.open(directory, Date.now);
  await journal.start(started('long', 'x'.repeat(5 * 1024 * 1024)));
  await mkdir(join(directory, 'log.new'));
  for (let turns = 0; turns < 30; turns++) {
    const settling = journal.settle([`s${turns}`], new Set());
    settling.catch(() => undefined);
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
    await journal.start(started(`c${turns}`));
    await expect(settling).rejects.toThrow('EISDIR');
  }
  await journal.close();
  await rm(join(directory, 'log.new'), { recursive: true });
  const again = await Journal.open(directory, Date.now);
  expect(again.calls()).toHaveLength(31);
  await again.close();
});

test('a program accepts no more calls after another one has opened its journal', async () => {
  const directory = await newDirectory();
  const older = await Journal.open(directory, Date.now);
  await older.start(started('before'));
  const newer = await Journal.open(directory, Date.now);
  await expect(older.start(started('after'))).rejects.toThrow('Another program uses');
  await newer.start(started('own'));
  await older.close();
  await newer.close();
  const again = await Journal.open(directory, Date.now);
  expect(again.calls().map(({ call }) => call)).toEqual(['before', 'own']);
  await again.close();
});
