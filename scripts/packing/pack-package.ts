import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../checks.ts';
import { run } from '../stage.ts';
import {
  bundledBy,
  insideAnother,
  type OwnPackage,
  ownPackages,
  packedPackage,
  selfContained,
} from './manifest.ts';

const published = new Map<string, Promise<string[]>>();

/** The files that `npm pack` would include. npm is asked once per package: most are bundled into several others. */
export function publishedFiles({ folder }: OwnPackage): Promise<string[]> {
  const files = published.get(folder) ?? listFiles(folder);
  published.set(folder, files);
  return files;
}

async function listFiles(folder: string): Promise<string[]> {
  const { files } = await npmPack(folder, ['--dry-run']);
  return files.map(({ path }) => path).sort();
}

/** Writes NAME-VERSION.tgz with the bundled packages of this repository. Returns its path. */
export async function packPackage(name: string, into: string): Promise<string> {
  const own = ownPackages();
  const root = packedPackage(name);
  const bundled = bundledBy(root, own);
  const staging = mkdtempSync(join(tmpdir(), 'chatd-pack-'));
  try {
    await copyPublished(root, staging);
    for (const inner of bundled) {
      const target = join(staging, 'node_modules', ...inner.manifest.name.split('/'));
      await copyPublished(inner, target);
      writeManifest(target, insideAnother(inner));
    }
    writeManifest(staging, selfContained(root, bundled, own));
    cpSync(join(ROOT, 'LICENSE'), join(staging, 'LICENSE'));
    mkdirSync(into, { recursive: true });
    const { filename } = await npmPack(staging, ['--pack-destination', into]);
    return join(into, filename);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

async function copyPublished(own: OwnPackage, target: string): Promise<void> {
  for (const path of await publishedFiles(own)) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    cpSync(join(own.folder, path), join(target, path));
  }
}

const writeManifest = (folder: string, manifest: object) =>
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

async function npmPack(folder: string, options: readonly string[]): Promise<Packed> {
  const { code, output } = await run({
    program: 'npm',
    args: ['pack', folder, '--json', '--ignore-scripts', '--loglevel=silent', ...options],
  });
  const packed = code === 0 ? firstOf(output) : undefined;
  if (packed === undefined) throw new Error(`npm pack failed in ${folder}:\n${output}`);
  return packed;
}

/** Depending on its version, npm returns a list or an object by name. */
function firstOf(output: string): Packed | undefined {
  const json = JSON.parse(output.slice(output.search(/[[{]/))) as Record<string, Packed> | Packed[];
  return Array.isArray(json) ? json[0] : Object.values(json)[0];
}
