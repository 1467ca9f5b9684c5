import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '../checks.ts';
import {
  bundledBy,
  insideAnother,
  type OwnPackage,
  ownPackages,
  packedPackage,
  selfContained,
} from './manifest.ts';

type Versions = Readonly<Record<string, string>>;

/** An entry of `package-lock.json`. */
interface LockEntry {
  readonly dependencies?: Versions;
  readonly optionalDependencies?: Versions;
  readonly peerDependencies?: Versions;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly [field: string]: unknown;
}
/** By install path: `node_modules/zod`. */
type Lock = Readonly<Record<string, LockEntry>>;

/**
 * Writes a manifest and a lock file next to the packed package, so that `npm ci` installs exactly the tested
 * dependencies. npm ignores lock files inside packages.
 */
export function writeInstallation(name: string, tarball: string, folder: string): void {
  const own = ownPackages();
  const root = packedPackage(name);
  const bundled = bundledBy(root, own);
  const file = `file:${basename(tarball)}`;
  const manifest = {
    name: 'chatd-installation',
    version: root.manifest.version,
    private: true,
    dependencies: { [name]: file },
  };
  const packed: LockEntry = {
    ...entryOf(selfContained(root, bundled, own)),
    resolved: file,
    integrity: `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`,
  };
  const text = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
  const { packages: lock } = JSON.parse(text) as { packages: Lock };
  const packages = {
    '': manifest,
    [`node_modules/${name}`]: packed,
    ...Object.fromEntries(
      bundled.map((inner) => [
        `node_modules/${name}/node_modules/${inner.manifest.name}`,
        { ...entryOf(insideAnother(inner)), inBundle: true },
      ]),
    ),
    ...neededFrom(lock, [root, ...bundled]),
  };
  writeJson(join(folder, 'package.json'), manifest);
  writeJson(join(folder, 'package-lock.json'), {
    name: manifest.name,
    lockfileVersion: 3,
    requires: true,
    packages,
  });
}

/** Transitive third-party dependencies of the packages, from the lock file of the repository. */
function neededFrom(lock: Lock, packages: readonly OwnPackage[]): Lock {
  const found = new Map<string, LockEntry>();
  const visit = (path: string, entry: LockEntry): void => {
    for (const name of namesIn(entry)) {
      const inner = locate(path, name, lock);
      const locked = inner === undefined ? undefined : lock[inner];
      if (inner === undefined || locked === undefined || found.has(inner)) continue;
      // Workspace packages are links in the lock file, and bundled in the package.
      if (locked['link'] === true) continue;
      found.set(inner, locked);
      visit(inner, locked);
    }
  };
  for (const { manifest } of packages) visit('', manifest);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function namesIn(entry: LockEntry): string[] {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = entry;
  const peers = Object.keys(peerDependencies).filter(
    (name) => entry.peerDependenciesMeta?.[name]?.optional !== true,
  );
  return [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers];
}

/** Node's module resolution: from the requesting package outward. */
function locate(from: string, name: string, lock: Lock): string | undefined {
  const around = from.split('/node_modules/');
  for (let depth = around.length; depth > 0; depth--) {
    const path = `${around.slice(0, depth).join('/node_modules/')}/node_modules/${name}`;
    if (path in lock) return path;
  }
  const path = `node_modules/${name}`;
  return path in lock ? path : undefined;
}

const FIELDS = new Set([
  'version',
  'license',
  'dependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'bundleDependencies',
  'bin',
  'engines',
]);

function entryOf(manifest: OwnPackage['manifest']): LockEntry {
  return Object.fromEntries(Object.entries(manifest).filter(([field]) => FIELDS.has(field)));
}

function writeJson(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
