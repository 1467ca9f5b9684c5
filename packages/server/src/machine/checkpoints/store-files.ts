import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentAccount } from '../drivers/host/agent-account.ts';
import { chownTo } from '../drivers/host/directories.ts';

/** Left out of checkpoints, in addition to what `.gitignore` files name. A `.gitignore` file can include them again. */
export const LEFT_OUT = [
  'node_modules',
  'bower_components',
  '.pnpm-store',
  '.venv',
  'venv',
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.tox',
  '.gradle',
  '.next',
  '.nuxt',
  '.turbo',
  '.terraform',
  '.cache',
] as const;

/** Content must come back byte by byte, whatever the repository configures. Nothing here can start a program. */
const CONFIG = `[core]
	repositoryformatversion = 0
	bare = false
	filemode = true
	symlinks = true
	ignorecase = false
	autocrlf = false
	safecrlf = false
	fsmonitor = false
	hooksPath = /dev/null
	excludesFile = /dev/null
	attributesFile = /dev/null
	protectNTFS = false
	protectHFS = false
	logAllRefUpdates = false
	compression = 1
	fsync = committed,reference
	fsyncMethod = batch
[index]
	version = 4
[gc]
	auto = 2000
	autoDetach = false
[submodule]
	recurse = false
`;

/** Takes precedence over the `.gitattributes` files of the workspace. */
const ATTRIBUTES = '* -text -ident !filter !working-tree-encoding\n';

/** Creates an empty store, or brings the settings of an existing one up to date. */
export async function writeStoreFiles(
  folder: string,
  account: AgentAccount | undefined,
): Promise<void> {
  for (const name of ['.', 'objects', 'refs', 'info']) {
    const path = join(folder, name);
    await mkdir(path, { recursive: true });
    await chownTo(path, account);
  }
  await chmod(folder, 0o700);
  const files = {
    HEAD: 'ref: refs/heads/none\n',
    config: CONFIG,
    'info/exclude': LEFT_OUT.map((name) => `${name}/\n`).join(''),
    'info/attributes': ATTRIBUTES,
  };
  for (const [name, text] of Object.entries(files)) {
    await rm(join(folder, name), { force: true });
    await writeFile(join(folder, name), text, { mode: 0o644, flag: 'wx' });
  }
  await writeFile(join(folder, 'lock'), '', { mode: 0o644, flag: 'a' });
}
