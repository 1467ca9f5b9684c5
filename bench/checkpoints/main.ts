/*
 * The cost of checkpoints: `npm run bench:checkpoints`, with `-- --files 50000` (default). Saves a folder, then saves it
 * again without changes and after changes of three files.
 */

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { HostDriver } from '../../packages/server/src/machine/drivers/host/host-driver.ts';

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '15' },
  },
});
const FILES = Number(values.files);
const ROUNDS = Number(values.rounds);
const CHANGED = 3;
const FILES_PER_FOLDER = 20;

const directory = await makeTemporaryDirectory();
try {
  const driver = new HostDriver({ directory, hidden: [], allowUnsandboxed: true });
  const spec = { id: 'bench', env: {}, limits: {}, network: 'none' } as const;
  await driver.create(spec);
  const store = await driver.checkpoints(spec);
  const folder = join(directory, 'bench', 'files');
  for (let index = 0; index < FILES; index++) await write(folder, index, 'first');
  execFileSync('chown', ['-R', '--reference', folder, folder]);

  const bytes = () =>
    Number(
      execFileSync('du', ['-sb', join(directory, 'bench', 'checkpoints')])
        .toString()
        .split('\t')[0],
    );
  const save = async () => {
    const began = performance.now();
    await store.save(randomUUID(), null);
    return performance.now() - began;
  };
  const first = await save();
  const stored = bytes();
  const unchanged: number[] = [];
  const changed: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    unchanged.push(await save());
    for (let index = 0; index < CHANGED; index++) {
      await write(
        folder,
        Math.floor(((round * CHANGED + index) * FILES) / (ROUNDS * CHANGED)),
        `${round}`,
      );
    }
    changed.push(await save());
  }
  const grown = Math.round((bytes() - stored) / ROUNDS);
  console.log(`${FILES} files, ${ROUNDS} rounds`);
  console.log(
    `first checkpoint      ${first.toFixed(0)} ms, ${(stored / 1024 ** 2).toFixed(1)} MiB`,
  );
  console.log(`without changes       ${median(unchanged).toFixed(0)} ms`);
  console.log(`${CHANGED} changed files       ${median(changed).toFixed(0)} ms, ${grown} bytes`);
} finally {
  await rm(directory, { recursive: true, force: true });
}

async function write(folder: string, index: number, word: string): Promise<void> {
  const path = join(folder, `${Math.floor(index / FILES_PER_FOLDER)}`, `${index}.ts`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `export const value = '${word} ${index}';\n`.repeat(20));
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
