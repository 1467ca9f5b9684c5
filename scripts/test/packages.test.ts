import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../checks.ts';
import { filesIn, refreshBuild, SWAGGER_UI } from '../packing/built-files.ts';
import { bundledBy, type OwnPackage, ownPackages, selfContained } from '../packing/manifest.ts';
import { packPackage, publishedFiles } from '../packing/pack-package.ts';
import { run } from '../stage.ts';

const own = ownPackages();

beforeAll(() => refreshBuild(), 600_000);

/** What a package publishes: what tsc makes of its sources, its README, and what it copies. Nothing else. */
function expected({ folder, manifest }: OwnPackage): string[] {
  const sources = filesIn(join(folder, 'src')).filter((name) => !/\.test\.tsx?$/.test(name));
  const built = sources.flatMap((name) => {
    if (name.endsWith('.sql')) return [`dist/${name}`];
    const base = `dist/${name.replace(/\.tsx?$/, '')}`;
    return [`${base}.js`, `${base}.js.map`, `${base}.d.ts`];
  });
  const readme = existsSync(join(folder, 'README.md')) ? ['README.md'] : [];
  const copied =
    manifest.name === '@chatd/server'
      ? SWAGGER_UI.map((name) => `dist/http/swagger-ui/${name}`)
      : [];
  return [...built, ...copied, ...readme, 'package.json'].sort();
}

test('the packages are these', () => {
  expect([...own.keys()].toSorted()).toEqual([
    '@chatd/client',
    '@chatd/loop',
    '@chatd/protocol',
    '@chatd/server',
    '@chatd/testing',
    '@chatd/web',
    'chatd',
  ]);
});

test.each([...own.keys()].filter((name) => name !== '@chatd/web'))(
  '%s publishes what is made of its sources, and nothing else',
  async (name) => {
    const found = own.get(name)!;
    expect(await publishedFiles(found)).toEqual(expected(found));
  },
  120_000,
);

test('@chatd/web publishes what is built, and nothing else', async () => {
  const found = own.get('@chatd/web')!;
  const files = await publishedFiles(found);
  expect(files.filter((name) => !/^(?:dist\/.+|README\.md|package\.json)$/.test(name))).toEqual([]);
}, 120_000);

test.each(['@chatd/server', 'chatd'])('%s holds all that it needs of ours', (name) => {
  const bundled = bundledBy(name, own);
  const manifest = selfContained(own.get(name)!, bundled, own);
  const names = bundled.map((inner) => inner.manifest.name);
  expect(names).toEqual(expect.arrayContaining(['@chatd/protocol', '@chatd/loop']));
  expect(manifest['bundleDependencies']).toEqual(names);
  // What is inside finds what it needs of others beside it, at the very version that it names.
  for (const inner of [own.get(name)!, ...bundled]) {
    const wanted = { ...inner.manifest.dependencies, ...inner.manifest.optionalDependencies };
    const given = { ...manifest.dependencies, ...manifest.optionalDependencies };
    expect(given, inner.manifest.name).toMatchObject(wanted);
  }
  expect(manifest.devDependencies).toBeUndefined();
});

/** What npm would do, without the registry: ours from the archive, those of others from this repository. */
async function unpacked(name: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'chatd-unpacked-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const tarball = await packPackage(name, folder);
  const modules = join(folder, 'node_modules');
  const target = join(modules, ...name.split('/'));
  mkdirSync(target, { recursive: true });
  const { code, output } = await run({
    program: 'tar',
    args: ['xzf', tarball, '-C', target, '--strip-components=1'],
  });
  expect(code, output).toBe(0);
  for (const other of readdirSync(join(ROOT, 'node_modules'))) {
    if (['@chatd', 'chatd'].includes(other) || other.startsWith('.')) continue;
    symlinkSync(join(ROOT, 'node_modules', other), join(modules, other));
  }
  return target;
}

test.each(['@chatd/server', 'chatd'])(
  '%s runs from its archive, without the sources',
  async (name) => {
    const target = await unpacked(name);
    const args = [join(target, 'dist', 'main.js')];
    const env = { PATH: process.env['PATH'] ?? '' };
    const version = await run({ program: process.execPath, args: [...args, '--version'], env });
    expect([version.code, version.output]).toEqual([0, 'chatd 0.1.0\n']);
    // The command loads the server only for this.
    const help = await run({ program: process.execPath, args: [...args, 'serve', '--help'], env });
    expect([help.code, help.output]).toEqual([0, expect.stringContaining('CHATD_DATABASE_URL')]);
  },
  300_000,
);
