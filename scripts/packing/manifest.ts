import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagesWith, ROOT } from '../checks.ts';

type Versions = Readonly<Record<string, string>>;

export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Versions;
  readonly optionalDependencies?: Versions;
  readonly devDependencies?: Versions;
  readonly [field: string]: unknown;
}

export interface OwnPackage {
  readonly folder: string;
  readonly manifest: PackageManifest;
}

/** The packages of this repository, by their names. */
export function ownPackages(): Map<string, OwnPackage> {
  return new Map(
    packagesWith('package.json').map((folder) => {
      const text = readFileSync(join(ROOT, folder, 'package.json'), 'utf8');
      const manifest = JSON.parse(text) as PackageManifest;
      return [manifest.name, { folder: join(ROOT, folder), manifest }];
    }),
  );
}

export function versionOf(name: string): string {
  const own = ownPackages().get(name);
  if (own === undefined) throw new Error(`There is no package ${name}.`);
  return own.manifest.version;
}

/** What a package needs of this repository, and what those need, each once. */
export function bundledBy(name: string, own: ReadonlyMap<string, OwnPackage>): OwnPackage[] {
  const found = new Map<string, OwnPackage>();
  const visit = ({ manifest }: OwnPackage): void => {
    for (const needed of Object.keys(manifest.dependencies ?? {})) {
      const inner = own.get(needed);
      if (inner === undefined || found.has(needed)) continue;
      found.set(needed, inner);
      visit(inner);
    }
  };
  const root = own.get(name);
  if (root !== undefined) visit(root);
  return [...found.values()];
}

/** Published with what it needs of ours inside: none of that is in a registry. The rest is fetched as usual. */
export function selfContained(
  root: OwnPackage,
  bundled: readonly OwnPackage[],
  own: ReadonlyMap<string, OwnPackage>,
): PackageManifest {
  const all = [root, ...bundled].map(({ manifest }) => manifest);
  const foreign = (field: 'dependencies' | 'optionalDependencies') =>
    Object.fromEntries(
      all
        .flatMap((manifest) => Object.entries(manifest[field] ?? {}))
        .filter(([name]) => !own.has(name))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  const ours = Object.fromEntries(bundled.map(({ manifest }) => [manifest.name, manifest.version]));
  const { devDependencies: _, ...rest } = root.manifest;
  return {
    ...rest,
    dependencies: { ...ours, ...foreign('dependencies') },
    optionalDependencies: foreign('optionalDependencies'),
    bundleDependencies: bundled.map(({ manifest }) => manifest.name),
  };
}

/**
 * As a package stands inside of another. What it needs is named by the outer one alone: npm takes what a bundled package
 * names for bundled as well, and leaves empty folders in its place.
 */
export function insideAnother({ manifest }: OwnPackage): PackageManifest {
  const { dependencies: _a, optionalDependencies: _b, devDependencies: _c, ...rest } = manifest;
  const { peerDependencies: _d, peerDependenciesMeta: _e, ...inner } = rest;
  return inner;
}
