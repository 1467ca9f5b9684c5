import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ROOT } from '../checks.ts';
import { readLockFile } from '../dependencies/lock-file.ts';
import { run } from '../stage.ts';

const LONG_MS = 3_600_000;
const parent = await mkdtemp(join(tmpdir(), 'chatd-reproducible-'));
afterAll(() => rm(parent, { recursive: true, force: true, maxRetries: 5 }));

/** A copy of the checkout in a directory with another name, with the same dependencies. */
async function packedIn(name: string): Promise<string> {
  const root = join(parent, name, 'checkout');
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' });
  for (const file of files.split('\0').filter(Boolean)) {
    await cp(join(ROOT, file), join(root, file)).catch((error: NodeJS.ErrnoException) => {
      // Deleted, and not committed yet.
      if (error.code !== 'ENOENT') throw error;
    });
  }
  await cp(join(ROOT, 'node_modules'), join(root, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
    // Caches of tools, which may change meanwhile.
    filter: (path) => !/^\.(?:vite|chatd)/.test(basename(path)),
  });
  const into = join(parent, name, 'packed');
  const { code, output } = await run({
    program: process.execPath,
    args: ['--conditions=chatd-source', join(root, 'scripts', 'pack.ts'), into],
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` },
  });
  expect(code, output).toBe(0);
  return into;
}

const sums = (folder: string) => readFileSync(join(folder, 'SHA256SUMS'), 'utf8');

test(
  'packing is reproducible, and an installation matches the lock file',
  async () => {
    const [one, other] = [await packedIn('one'), await packedIn('quite another')];
    expect(sums(one)).toBe(sums(other));

    const checked = await run({
      program: 'bash',
      args: ['-c', 'cd "$0" && sha256sum --check --strict SHA256SUMS', one],
    });
    expect(checked.code, checked.output).toBe(0);

    // With the Node and settings of the system.
    const installed = await run({
      program: 'npm',
      args: ['ci', '--prefix', one, '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error'],
    });
    expect(installed.code, installed.output).toBe(0);
    const wanted = new Map(readLockFile().map(({ path, version }) => [path, version]));
    const found = readLockFile(
      readFileSync(join(one, 'node_modules', '.package-lock.json'), 'utf8'),
    ).filter(({ path }) => !path.startsWith('node_modules/chatd'));
    expect(found.length).toBeGreaterThan(50);
    for (const { path, version } of found)
      expect([path, version]).toEqual([path, wanted.get(path)]);
    expect(found.map(({ name }) => name)).not.toContain('@scarf/scarf');

    // It needs only its own directory.
    await symlink(one, join(parent, 'elsewhere'));
    const version = await run({
      program: join(parent, 'elsewhere', 'node_modules', '.bin', 'chatd'),
      args: ['--version'],
      env: { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` },
    });
    expect(version.output).toContain('chatd 0.');
  },
  LONG_MS,
);
