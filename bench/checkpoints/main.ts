import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { HostDriver } from '../../packages/server/src/machine/drivers/host/host-driver.ts';
import { type CheckpointsData, checkpointsReport } from '../report/checkpoints.ts';
import { conclude } from '../report/conclude.ts';
import { quantile } from '../report/statistics.ts';
import { parseArgs } from '../../scripts/parse-args.ts';

/*
 * The cost of checkpoints. Saves a folder, then saves it again without changes and after changes of three files. The base
 * is the record before, as in a turn, so the changes are counted as well.
 */
const { values: options } = parseArgs({
  options: {
    files: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '15' },
    keep: { type: 'boolean', default: false },
  },
});
const FILES = Number(options.files);
const ROUNDS = Number(options.rounds);
const CHANGED = 3;
/** Checkpoints of chats that share a workspace. */
const CONCURRENT = 50;
const FILES_PER_FOLDER = 20;
const FOLDERS_PER_PACKAGE = 50;

const directory = await makeTemporaryDirectory();
try {
  const driver = new HostDriver({ directory, hidden: [], allowUnsandboxed: true });
  const spec = { id: 'bench', env: {}, limits: {}, network: 'none' } as const;
  await driver.create(spec);
  const store = await driver.checkpoints(spec);
  const folder = join(directory, 'bench', 'files');
  for (let index = 0; index < FILES; index++) await write(folder, index, 'first');
  execFileSync('chown', ['-R', '--reference', folder, folder]);

  let base: string | null = null;
  const save = async () => {
    const began = performance.now();
    ({ tree: base } = await store.save(randomUUID(), base));
    return performance.now() - began;
  };
  const first = await save();
  const stored = storedBytes();
  const unchanged: number[] = [];
  const changed: number[] = [];
  const concurrent: number[] = [];
  let grownUnchanged = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const before = storedBytes();
    unchanged.push(await save());
    const began = performance.now();
    await Promise.all(Array.from({ length: CONCURRENT }, () => store.save(randomUUID(), base)));
    concurrent.push((performance.now() - began) / CONCURRENT);
    grownUnchanged += storedBytes() - before;
    for (let index = 0; index < CHANGED; index++) {
      const which = ((round * CHANGED + index) * FILES) / (ROUNDS * CHANGED);
      await write(folder, Math.floor(which), `${round}`);
    }
    changed.push(await save());
  }
  const grown = storedBytes() - stored - grownUnchanged;
  const data: CheckpointsData = {
    files: FILES,
    changed: CHANGED,
    rounds: ROUNDS,
    rows: [
      row('the first one', [first], stored),
      row('nothing changed', unchanged, grownUnchanged / ROUNDS),
      row(`nothing changed, ${CONCURRENT} at a time, each`, concurrent, 0),
      row(`${CHANGED} files changed`, changed, grown / ROUNDS),
    ],
  };
  await conclude(checkpointsReport, { data, versions: { git: gitVersion() } }, options);
} finally {
  await rm(directory, { recursive: true, force: true });
}

function row(checkpoint: string, taken: readonly number[], bytes: number) {
  return { checkpoint, p50Ms: quantile(taken, 0.5), p90Ms: quantile(taken, 0.9), bytes };
}

/** Content only: records and the index are replaced. */
function storedBytes(): number {
  const objects = join(directory, 'bench', 'checkpoints', 'objects');
  const printed = execFileSync('find', [objects, '-type', 'f', '-printf', '%s\\n'], {
    encoding: 'utf8',
  });
  return printed.split('\n').reduce((sum, size) => sum + Number(size), 0);
}

async function write(folder: string, index: number, word: string): Promise<void> {
  const at = Math.floor(index / FILES_PER_FOLDER);
  const name = `packages/${Math.floor(at / FOLDERS_PER_PACKAGE)}/src/${at % FOLDERS_PER_PACKAGE}`;
  const path = join(folder, name, `${index}.ts`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `export const value = '${word} ${index}';\n`.repeat(20));
}

/** `git version 2.39.5` */
function gitVersion(): string {
  return execFileSync('git', ['--version'], { encoding: 'utf8' }).trim().split(' ').at(-1) ?? '';
}
