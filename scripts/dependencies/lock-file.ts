import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../checks.ts';

/** A third-party package in `package-lock.json`. */
export interface LockedPackage {
  /** Install path: `node_modules/zod`, or nested below a package that needs another version. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
  readonly integrity: string | undefined;
  readonly resolved: string | undefined;
  /** Needed only for building and testing, not installed with chatd. */
  readonly dev: boolean;
  readonly installScript: boolean;
  /** Installed on some platforms only. */
  readonly optional: boolean;
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
  readonly optional?: boolean;
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
      license: entry.license,
      integrity: entry.integrity,
      resolved: entry.resolved,
      dev: entry.dev === true || entry.devOptional === true,
      installScript: entry.hasInstallScript === true,
      optional: entry.optional === true,
    }));
}
