import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { chmod, cp, copyFile, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../checks.ts';
import { ensureWebUi } from '../web-ui.ts';

const execute = promisify(execFile);

/** Copies the repository, including uncommitted changes, dependencies and the built web UI. */
export async function copyCheckout(into: string): Promise<void> {
  await ensureWebUi((line) => console.error(line));
  await mkdir(into, { recursive: true });
  await chmod(into, 0o711);
  const listed = await execute('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    cwd: ROOT,
    maxBuffer: 64 * 1024 * 1024,
  });
  const files = listed.stdout.split('\0').filter((file) => file !== '');
  for (const folder of new Set(files.map((file) => dirname(file)))) {
    await mkdir(join(into, folder), { recursive: true });
  }
  for (const file of files) {
    // Deleted, but not committed yet.
    if (existsSync(join(ROOT, file))) await copyFile(join(ROOT, file), join(into, file));
  }
  await commit(into);
  for (const folder of ['.', ...readdirSync(join(ROOT, 'packages')).map((n) => `packages/${n}`)]) {
    await linkDependencies(join(ROOT, folder), join(into, folder));
  }
  const web = join('packages', 'web');
  await cp(join(ROOT, web, 'dist'), join(into, web, 'dist'), { recursive: true });
  await copyFile(join(ROOT, web, '.built'), join(into, web, '.built'));
  await execute(process.execPath, [join(into, 'scripts', 'run', 'mark-installed.mjs')]);
}

async function commit(folder: string): Promise<void> {
  const git = (...args: string[]) => execute('git', args, { cwd: folder });
  await git('init', '-q', '-b', 'main');
  await git('config', 'user.name', 'Reader');
  await git('config', 'user.email', 'reader@example.org');
  await git('add', '-A');
  await git('commit', '-q', '-m', 'chatd');
}

/**
 * Links third-party packages to this checkout, and recreates the relative links of our packages, which then point to the
 * copy. Linking the whole directory would lead back to the original sources.
 */
async function linkDependencies(from: string, to: string, folder = 'node_modules'): Promise<void> {
  const source = join(from, folder);
  if (!existsSync(source)) return;
  await mkdir(join(to, folder), { recursive: true });
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const name = join(folder, entry.name);
    if (entry.isSymbolicLink()) {
      await symlink(readlinkSync(join(from, name)), join(to, name));
    } else if (entry.name.startsWith('@')) {
      await linkDependencies(from, to, name);
    } else if (!entry.name.startsWith('.') || entry.name === '.bin') {
      await symlink(join(from, name), join(to, name));
    }
  }
}
