import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withLock } from './lock.mjs';
import { npm } from './npm.mjs';
import { OWN_DIRECTORY, ROOT } from './root.mjs';

const STAMP = join(ROOT, 'node_modules', '.chatd-installed');

/** Installs the dependencies if they are missing or package-lock.json has changed. */
export async function ensureDependencies(node) {
  if (isInstalled()) return;
  await withLock(join(OWN_DIRECTORY, 'lock'), async () => {
    if (isInstalled()) return;
    const wanted = wantedStamp();
    console.error('chatd: installing dependencies with npm (first start, or after a change)');
    // --no-save keeps committed files unchanged. Development and optional dependencies are included even if NODE_ENV or
    // npm settings omit them: tests need the former, and the embedded PostgreSQL is one of the latter.
    await npm(['install', '--no-save', '--include=dev', '--include=optional'], {
      node,
      cwd: ROOT,
      what: 'installing dependencies',
    });
    await markInstalled(wanted);
  });
}

/** Records that the dependencies are installed. */
export async function markInstalled(wanted = wantedStamp()) {
  await mkdir(dirname(STAMP), { recursive: true });
  await writeFile(STAMP, wanted);
}

function isInstalled() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wantedStamp();
}

/** A hash of all inputs of the installation. */
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
