import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../checks.ts';

/** A package of somebody else's as `package-lock.json` pins it. */
export interface LockedPackage {
  /** Where npm puts it: `node_modules/zod`, or below a package that needs another version. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly licence: string | undefined;
  readonly integrity: string | undefined;
  readonly resolved: string | undefined;
  /** Needed to build and test only; nobody who installs chatd gets it from a registry. */
  readonly dev: boolean;
  readonly installScript: boolean;
}

interface LockEntry {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

const FOLDER = 'node_modules/';

export function readLockFile(
  text: string = readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
): LockedPackage[] {
  const { packages } = JSON.parse(text) as { packages: Readonly<Record<string, LockEntry>> };
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes(FOLDER) && link !== true)
    .map(([path, entry]) => ({
      path,
      name: entry.name ?? path.slice(path.lastIndexOf(FOLDER) + FOLDER.length),
      version: entry.version ?? '',
      licence: entry.license,
      integrity: entry.integrity,
      resolved: entry.resolved,
      dev: entry.dev === true || entry.devOptional === true,
      installScript: entry.hasInstallScript === true,
    }));
}
