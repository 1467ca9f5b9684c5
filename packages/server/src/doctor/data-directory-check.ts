import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { broken, type Check, type Finding, ok, warning } from './finding.ts';

const NAME = 'data directory';
const LOW_BYTES = 1024 ** 3;
const KEY_FILE = 'secret.key';

export const dataDirectoryCheck: Check = {
  name: NAME,
  async look({ config: { dataDir } }) {
    const about = await stat(dataDir).catch(() => undefined);
    if (about === undefined) {
      return [
        ok(NAME, `${dataDir} does not exist yet; the first start creates it.`),
        ...(await space(dataDir)),
      ];
    }
    if (!about.isDirectory()) {
      return [
        broken(
          NAME,
          `${dataDir} is not a folder.`,
          'Choose another directory with CHATD_DATA_DIR.',
        ),
      ];
    }
    const findings: Finding[] = [];
    const writable = await access(dataDir, constants.W_OK | constants.X_OK).then(
      () => true,
      () => false,
    );
    findings.push(
      writable
        ? ok(NAME, `${dataDir} is writable.`)
        : broken(
            NAME,
            `${dataDir} is not writable for this user.`,
            `Run chatd as its owner (uid ${about.uid}), or choose another directory with CHATD_DATA_DIR.`,
          ),
    );
    return [...findings, ...(await keyFile(dataDir)), ...(await space(dataDir))];
  },
};

async function keyFile(dataDir: string): Promise<Finding[]> {
  const path = join(dataDir, KEY_FILE);
  const key = await stat(path).catch(() => undefined);
  if (key === undefined || (key.mode & 0o077) === 0) return [];
  return [
    broken(
      NAME,
      `${path} is readable for other users.`,
      `Run: chmod 600 ${path}. Then replace the API keys of the providers.`,
    ),
  ];
}

async function space(path: string): Promise<Finding[]> {
  const found = await statfs(path).catch(() => undefined);
  if (found === undefined) return dirname(path) === path ? [] : await space(dirname(path));
  const free = found.bavail * found.bsize;
  if (free >= LOW_BYTES) return [];
  return [
    warning(
      NAME,
      `Only ${Math.round(free / 1024 ** 2)} MB are free at ${path}.`,
      'Free up disk space. PostgreSQL stops when the disk is full.',
    ),
  ];
}
