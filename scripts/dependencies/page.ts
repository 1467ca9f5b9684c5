import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../checks.ts';
import { ownPackages } from '../packing/manifest.ts';
import { licenseOverride } from './licenses.ts';
import { type LockedPackage, readLockFile } from './lock-file.ts';
import { REASONS } from './reasons.ts';

export const PAGE = join(ROOT, 'docs', 'dependencies.md');

const MARKED = /(<!-- dependencies -->\n)[^]*(<!-- \/dependencies -->)/;

/** The page with up-to-date tables. */
export function renderPage(page: string): string {
  return page.replace(
    MARKED,
    (_all, begin: string, end: string) => `${begin}\n${tables()}\n${end}`,
  );
}

interface Named {
  readonly name: string;
  /** Packages that depend on it. */
  readonly by: readonly string[];
  readonly dev: boolean;
}

/** All direct third-party dependencies. */
export function namedPackages(): Named[] {
  const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const own = ownPackages();
  const found = new Map<string, { by: string[]; dev: boolean }>();
  const add = (names: object | undefined, by: string, dev: boolean): void => {
    for (const name of Object.keys(names ?? {}).filter((one) => !own.has(one))) {
      const entry = found.get(name) ?? { by: [], dev: true };
      entry.by.push(by);
      found.set(name, { by: entry.by, dev: entry.dev && dev });
    }
  };
  for (const { manifest } of own.values()) {
    add(manifest.dependencies, manifest.name, false);
    add(manifest.optionalDependencies, manifest.name, false);
    add(manifest.devDependencies, manifest.name, true);
  }
  add(root.devDependencies, 'chatd-workspace', true);
  return [...found]
    .map(([name, entry]) => ({ name, ...entry }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Bundled into the web UI, or used to build or test it. */
const isOfWebUi = ({ dev, by }: Named): boolean => dev && by.includes('@chatd/web');

function tables(): string {
  const locked = new Map(readLockFile().map((one) => [one.path, one]));
  const named = namedPackages();
  return [
    section(
      'Installed with chatd',
      named.filter(({ dev }) => !dev),
      locked,
    ),
    section(
      'Bundled into the web UI, or used to build and test it',
      named.filter(isOfWebUi),
      locked,
    ),
    section(
      'Used to build and test',
      named.filter((one) => one.dev && !isOfWebUi(one)),
      locked,
    ),
    licenses([...locked.values()]),
  ].join('\n');
}

function section(
  title: string,
  named: readonly Named[],
  locked: ReadonlyMap<string, LockedPackage>,
): string {
  const rows = named.map(({ name }) => {
    const { version = '?', license = '?' } = locked.get(`node_modules/${name}`) ?? {};
    return `| ${name} | ${version} | ${licenseOverride(locked.get(`node_modules/${name}`)) ?? license} | ${REASONS[name] ?? ''} |`;
  });
  return [
    `### ${title}\n`,
    '| package | version | license | purpose |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function licenses(packages: readonly LockedPackage[]): string {
  const counts = new Map<string, { installed: number; tools: number }>();
  for (const one of packages) {
    const license = licenseOverride(one) ?? one.license ?? '?';
    const count = counts.get(license) ?? { installed: 0, tools: 0 };
    count[one.dev ? 'tools' : 'installed'] += 1;
    counts.set(license, count);
  }
  const rows = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([license, { installed, tools }]) => `| ${license} | ${installed} | ${tools} |`);
  return [
    '### Licenses\n',
    'Including transitive dependencies, for all platforms:\n',
    '| license | installed | bundle and tools |',
    '| --- | ---: | ---: |',
    ...rows,
    '',
  ].join('\n');
}
