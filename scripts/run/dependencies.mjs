import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withLock } from './lock.mjs';
import { npm } from './npm.mjs';
import { OWN_DIRECTORY, ROOT } from './root.mjs';

const STAMP = join(ROOT, 'node_modules', '.chatd-installed');

/** Installs what package-lock.json names when that has not been done, or not since it changed. */
export async function ensureDependencies(node) {
  if (isInstalled()) return;
  await withLock(join(OWN_DIRECTORY, 'lock'), async () => {
    if (isInstalled()) return;
    const wanted = wantedStamp();
    console.error('chatd: installing dependencies with npm (once, and after each change of them)');
    // --no-save: to run something must not change what is committed. Development's and optional ones also where
    // NODE_ENV or npm's settings would leave them out: tests need the former, the embedded PostgreSQL is the latter.
    await npm(['install', '--no-save', '--include=dev', '--include=optional'], {
      node,
      cwd: ROOT,
      what: 'installing dependencies',
    });
    await markInstalled(wanted);
  });
}

/** From now on it counts as done; also by whoever has put the dependencies there in another way. */
export async function markInstalled(wanted = wantedStamp()) {
  await mkdir(dirname(STAMP), { recursive: true });
  await writeFile(STAMP, wanted);
}

function isInstalled() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wantedStamp();
}

/** Everything that decides what is installed. */
function wantedStamp() {
  const packages = readdirSync(join(ROOT, 'packages')).map((name) =>
    join('packages', name, 'package.json'),
  );
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}\0`);
  for (const file of ['.npmrc', 'package.json', 'package-lock.json', ...packages.sort()]) {
    const path = join(ROOT, file);
    if (existsSync(path)) hash.update(file).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}
