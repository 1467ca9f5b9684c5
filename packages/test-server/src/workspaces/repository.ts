import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const IDENTITY = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org'];

/** Creates a Git repository with one commit of these files, and a second commit on the branch `next`. */
export async function makeRepository(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  const git = (...args: string[]) => run('git', [...IDENTITY, ...args], { cwd: folder });
  await git('init', '--quiet', '--initial-branch=main');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await git('add', '--all');
  await git('commit', '--quiet', '-m', 'first');
  await git('checkout', '--quiet', '-b', 'next');
  await writeFile(join(folder, 'NEXT'), 'only on next\n');
  await git('add', '--all');
  await git('commit', '--quiet', '-m', 'second');
  await git('checkout', '--quiet', 'main');
  return folder;
}
