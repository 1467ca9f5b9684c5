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

/** The packages of this repository by name. */
export function ownPackages(): Map<string, OwnPackage> {
  return new Map(
    packagesWith('package.json').map((folder) => {
      const text = readFileSync(join(ROOT, folder, 'package.json'), 'utf8');
      const manifest = JSON.parse(text) as PackageManifest;
      return [manifest.name, { folder: join(ROOT, folder), manifest }];
    }),
  );
}

/** Without private packages. */
export const publishedPackages = (): Map<string, OwnPackage> =>
  new Map([...ownPackages()].filter(([, { manifest }]) => manifest['private'] !== true));

/** The CLI without the server. */
const THIN_COMMAND = '@chatd/cli';

/** The packages that `npm run pack` writes, by name. The web UI is part of the server. */
export function packedPackages(): Map<string, OwnPackage> {
  const packed = publishedPackages();
  packed.delete('@chatd/web');
  const command = packed.get('chatd');
  if (command !== undefined) packed.set(THIN_COMMAND, withoutServer(command));
  return packed;
}

function withoutServer({ folder, manifest }: OwnPackage): OwnPackage {
  const { '@chatd/server': _, ...dependencies } = manifest.dependencies ?? {};
  const description =
    'The chatd command without the server: chat in a terminal, run prompts from scripts, manage a deployment';
  return { folder, manifest: { ...manifest, name: THIN_COMMAND, description, dependencies } };
}

export function packedPackage(name: string): OwnPackage {
  const found = packedPackages().get(name);
  if (found === undefined) throw new Error(`Unknown package: ${name}.`);
  return found;
}

/** Transitive dependencies within this repository. */
export function bundledBy(root: OwnPackage, own: ReadonlyMap<string, OwnPackage>): OwnPackage[] {
  const found = new Map<string, OwnPackage>();
  const visit = ({ manifest }: OwnPackage): void => {
    for (const needed of Object.keys(manifest.dependencies ?? {})) {
      const inner = own.get(needed);
      if (inner === undefined || found.has(needed)) continue;
      found.set(needed, inner);
      visit(inner);
    }
  };
  visit(root);
  return [...found.values()];
}

/** A manifest that bundles the packages of this repository, which are not in a registry. */
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
    ...withoutSources(rest),
    dependencies: { ...ours, ...foreign('dependencies') },
    optionalDependencies: foreign('optionalDependencies'),
    bundleDependencies: bundled.map(({ manifest }) => manifest.name),
  };
}

/**
 * The manifest of a bundled package, without dependencies: npm would treat them as bundled too and create empty folders.
 * The outer package declares them.
 */
export function insideAnother({ manifest }: OwnPackage): PackageManifest {
  const { dependencies: _a, optionalDependencies: _b, devDependencies: _c, ...rest } = manifest;
  const { peerDependencies: _d, peerDependenciesMeta: _e, ...inner } = rest;
  return withoutSources(inner);
}

type Exports = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

/** Removes the import condition for sources, which are not published. */
function withoutSources(manifest: PackageManifest): PackageManifest {
  if (manifest['exports'] === undefined) return manifest;
  const entries = Object.entries(manifest['exports'] as Exports).map(([path, target]) => {
    if (typeof target === 'string') return [path, target];
    const { 'chatd-source': _, ...conditions } = target;
    return [path, conditions];
  });
  return { ...manifest, exports: Object.fromEntries(entries) };
}
