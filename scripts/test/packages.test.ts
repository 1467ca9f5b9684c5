import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT, tool } from '../checks.ts';
import { filesIn, refreshBuild, SWAGGER_UI } from '../packing/built-files.ts';
import {
  bundledBy,
  insideAnother,
  type OwnPackage,
  type PackageManifest,
  packedPackage,
  packedPackages,
  publishedPackages,
  selfContained,
} from '../packing/manifest.ts';
import { packPackage, publishedFiles } from '../packing/pack-package.ts';
import { run } from '../stage.ts';

const own = publishedPackages();
const VERSION_LINE = `chatd ${packedPackage('chatd').manifest.version}\n`;

beforeAll(() => refreshBuild(), 600_000);

/** Published files: compiled sources, README and copied assets. */
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

test('the list of packages is complete', () => {
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
  '%s publishes only its compiled sources, README and assets',
  async (name) => {
    const found = own.get(name)!;
    expect(await publishedFiles(found)).toEqual(expected(found));
  },
  120_000,
);

test('@chatd/web publishes only its build output', async () => {
  const found = own.get('@chatd/web')!;
  const files = await publishedFiles(found);
  expect(files.filter((name) => !/^(?:dist\/.+|README\.md|package\.json)$/.test(name))).toEqual([]);
}, 120_000);

const packed = packedPackages();

test('all packages except the web UI are packed, and the CLI also without the server', () => {
  expect([...packed.keys()].toSorted()).toEqual([
    '@chatd/cli',
    '@chatd/client',
    '@chatd/loop',
    '@chatd/protocol',
    '@chatd/server',
    '@chatd/testing',
    'chatd',
  ]);
});

test.each([...packed])('%s bundles all required packages of this repository', (_name, root) => {
  const bundled = bundledBy(root, own);
  const manifest = selfContained(root, bundled, own);
  expect(manifest['bundleDependencies']).toEqual(bundled.map((inner) => inner.manifest.name));
  // Bundled packages find their dependencies next to them, in the declared version.
  for (const inner of [root, ...bundled]) {
    const wanted = { ...inner.manifest.dependencies, ...inner.manifest.optionalDependencies };
    const given = { ...manifest.dependencies, ...manifest.optionalDependencies };
    expect(given, inner.manifest.name).toMatchObject(wanted);
  }
  expect(manifest.devDependencies).toBeUndefined();
  expect(JSON.stringify([manifest, ...bundled.map(insideAnother)])).not.toContain('chatd-source');
});

test('the CLI without the server has no PostgreSQL', () => {
  const thin = packedPackage('@chatd/cli');
  const bundled = bundledBy(thin, own);
  expect(bundled.map(({ manifest }) => manifest.name).toSorted()).toEqual([
    '@chatd/client',
    '@chatd/protocol',
  ]);
  const manifest = selfContained(thin, bundled, own);
  expect(manifest.optionalDependencies).toEqual({});
  expect(Object.keys(manifest.dependencies ?? {})).not.toContain('pg');
  expect(manifest['bin']).toEqual(own.get('chatd')?.manifest['bin']);
});

/** Links an installed package into another `node_modules`; packages for other platforms are missing. */
function link(name: string, modules: string): void {
  const [from, to] = [join(ROOT, 'node_modules', name), join(modules, name)];
  if (!existsSync(from) || existsSync(to)) return;
  mkdirSync(dirname(to), { recursive: true });
  symlinkSync(from, to);
}

const unpackedArchives = new Map<string, Promise<string>>();
afterAll(async () => {
  for (const target of await Promise.all(unpackedArchives.values())) {
    rmSync(folderOf(target), { recursive: true, force: true });
  }
});

/** Unpacks a package once, into the `node_modules` of a new directory. */
function unpacked(name: string): Promise<string> {
  const found = unpackedArchives.get(name) ?? unpack(name);
  unpackedArchives.set(name, found);
  return found;
}

const folderOf = (target: string) => target.slice(0, target.indexOf('/node_modules/'));

/** Installs without a registry: our packages from the archive, third-party packages from this repository. */
async function unpack(name: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'chatd-unpacked-'));
  const tarball = await packPackage(name, folder);
  const modules = join(folder, 'node_modules');
  const target = join(modules, ...name.split('/'));
  mkdirSync(target, { recursive: true });
  const { code, output } = await run({
    program: 'tar',
    args: ['xzf', tarball, '-C', target, '--strip-components=1'],
  });
  expect(code, output).toBe(0);
  // Only declared dependencies, so that an undeclared one is missing.
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(target, 'package.json'), 'utf8'),
  ) as PackageManifest;
  const needed = Object.keys({ ...dependencies, ...optionalDependencies });
  for (const other of needed.filter((one) => !own.has(one))) link(other, modules);
  return target;
}

const env = { PATH: process.env['PATH'] ?? '' };
const node = (...args: string[]) => run({ program: process.execPath, args, env });

test.each(['@chatd/server', 'chatd'])(
  '%s runs from its archive',
  async (name) => {
    const main = join(await unpacked(name), 'dist', 'main.js');
    const version = await node(main, '--version');
    expect([version.code, version.output]).toEqual([0, VERSION_LINE]);
    // Only this command loads the server.
    const help = await node(main, 'serve', '--help');
    expect([help.code, help.output]).toEqual([0, expect.stringContaining('CHATD_DATABASE_URL')]);
  },
  300_000,
);

test('@chatd/cli runs from its archive and reports the missing server', async () => {
  const main = join(await unpacked('@chatd/cli'), 'dist', 'main.js');
  expect((await node(main, '--version')).output).toBe(VERSION_LINE);
  for (const args of [['serve'], ['backup'], ['restore', 'x'], ['doctor', '--local']]) {
    const { code, output } = await node(main, ...args);
    expect([code, output]).toEqual([2, expect.stringContaining('Install the package chatd')]);
  }
  const doctor = await node(main, 'doctor', '--url', 'http://127.0.0.1:1');
  expect([doctor.code, doctor.output]).toEqual([1, expect.stringContaining('1 failed')]);
}, 300_000);

/** The entry points of a packed library. */
const LIBRARIES = ['@chatd/client', '@chatd/loop', '@chatd/protocol', '@chatd/testing'];
const entryPoints = (name: string): string[] =>
  Object.keys(packedPackage(name).manifest['exports'] as object).map((path) =>
    path.replace('.', name),
  );

test.each([...LIBRARIES, '@chatd/server'])(
  '%s can be imported and type-checked from its archive, without skipLibCheck',
  async (name) => {
    const folder = folderOf(await unpacked(name));
    // A peer dependency, and the usual types of a Node program.
    const others = ['ai', '@types/node', 'undici-types'];
    for (const other of others) link(other, join(folder, 'node_modules'));
    const imports = entryPoints(name).map((path, index) => `import * as m${index} from '${path}';`);
    const uses = imports.map((_, index) => `console.log(Object.keys(m${index}).length > 0);`);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'index.ts'), [...imports, ...uses, ''].join('\n'));
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2024',
      strict: true,
      skipLibCheck: false,
      types: ['node'],
      outDir: 'out',
    };
    const tsconfig = JSON.stringify({ compilerOptions, files: ['index.ts'] });
    writeFileSync(join(folder, 'tsconfig.json'), tsconfig);
    const checked = await run(tool('tsc', '-p', folder));
    expect([checked.code, checked.output]).toEqual([0, '']);
    const ran = await node(join(folder, 'out', 'index.js'));
    expect([ran.code, ran.output]).toEqual([0, 'true\n'.repeat(imports.length)]);
  },
  300_000,
);
