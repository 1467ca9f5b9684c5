import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../checks.ts';
import { ownPackages } from '../packing/manifest.ts';
import { ownTermsOf } from './licences.ts';
import { type LockedPackage, readLockFile } from './lock-file.ts';
import { REASONS } from './reasons.ts';

export const PAGE = join(ROOT, 'docs', 'dependencies.md');

const MARKED = /(<!-- dependencies -->\n)[^]*(<!-- \/dependencies -->)/;

/** The page with its tables as they have to be. */
export function renderPage(page: string): string {
  return page.replace(
    MARKED,
    (_all, begin: string, end: string) => `${begin}\n${tables()}\n${end}`,
  );
}

interface Named {
  readonly name: string;
  /** Who names it. */
  readonly by: readonly string[];
  readonly dev: boolean;
}

/** Every package of somebody else's that a manifest of ours names. */
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
  add(root.devDependencies, 'the repository', true);
  return [...found]
    .map(([name, entry]) => ({ name, ...entry }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whatever the web UI names is built into it, or builds or tests it. */
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
      "In the web UI's bundle, or for building and testing it",
      named.filter(isOfWebUi),
      locked,
    ),
    section(
      'For building and testing',
      named.filter((one) => one.dev && !isOfWebUi(one)),
      locked,
    ),
    licences([...locked.values()]),
  ].join('\n');
}

function section(
  title: string,
  named: readonly Named[],
  locked: ReadonlyMap<string, LockedPackage>,
): string {
  const rows = named.map(({ name }) => {
    const { version = '?', licence = '?' } = locked.get(`node_modules/${name}`) ?? {};
    return `| ${name} | ${version} | ${ownTermsOf(locked.get(`node_modules/${name}`)) ?? licence} | ${REASONS[name] ?? ''} |`;
  });
  return [
    `### ${title}\n`,
    '| package | version | licence | why |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function licences(packages: readonly LockedPackage[]): string {
  const counts = new Map<string, { installed: number; tools: number }>();
  for (const one of packages) {
    const licence = ownTermsOf(one) ?? one.licence ?? '?';
    const count = counts.get(licence) ?? { installed: 0, tools: 0 };
    count[one.dev ? 'tools' : 'installed'] += 1;
    counts.set(licence, count);
  }
  const rows = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([licence, { installed, tools }]) => `| ${licence} | ${installed} | ${tools} |`);
  return [
    '### Licences of all of them\n',
    'With everything that the packages above need in turn, for all platforms:\n',
    '| licence | installed | bundle and tools |',
    '| --- | ---: | ---: |',
    ...rows,
    '',
  ].join('\n');
}
