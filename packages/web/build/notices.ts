import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';

type Bundle = Readonly<Record<string, { type: 'asset' } | { type: 'chunk'; moduleIds: string[] }>>;

const FILE = 'third-party-notices.txt';
const LICENSE_FILE = /^(?:licen[cs]e|copying|notice|unlicense)(?:[.-].*)?$/i;

/** Writes the license texts of all bundled packages, as the licenses require. Workers are built separately, so they have their own plugin. */
export function notices(): { page: Plugin; worker: () => Plugin[] } {
  const folders = new Set<string>();
  const collect = (bundle: Bundle): void => {
    for (const output of Object.values(bundle)) {
      if (output.type !== 'chunk') continue;
      for (const id of output.moduleIds) {
        const folder = packageOf(id);
        if (folder !== undefined) folders.add(folder);
      }
    }
  };
  return {
    worker: () => [
      {
        name: 'chatd:notices-of-workers',
        generateBundle: (_options, bundle) => collect(bundle),
      },
    ],
    page: {
      name: 'chatd:notices',
      apply: 'build',
      generateBundle(_options, bundle) {
        collect(bundle);
        this.emitFile({ type: 'asset', fileName: FILE, source: textOf(folders) });
      },
    },
  };
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly homepage?: string;
  readonly repository?: string | { readonly url?: string };
}

/** The folder of the installed package of a module; undefined for our own modules. */
function packageOf(id: string): string | undefined {
  const file = id.replace(/^\0/, '').replace(/\?.*$/, '');
  if (!file.includes('/node_modules/')) return undefined;
  for (let folder = dirname(file); folder.includes('/node_modules/'); folder = dirname(folder)) {
    // Nested manifests without a name only set the module type.
    if (manifestOf(folder).name !== undefined) return folder;
  }
  return undefined;
}

function manifestOf(folder: string): Manifest {
  const file = join(folder, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Manifest) : {};
}

function textOf(folders: ReadonlySet<string>): string {
  const entries = [...folders].map((folder) => ({ folder, manifest: manifestOf(folder) }));
  const sections = entries
    .map(({ folder, manifest }) => ({
      title: `${manifest.name} ${manifest.version}`,
      folder,
      manifest,
    }))
    .sort((a, b) => (a.title < b.title ? -1 : 1))
    .map(({ title, folder, manifest }) => {
      const texts = readdirSync(folder)
        .filter((name) => LICENSE_FILE.test(name))
        .sort()
        .map((name) => readFileSync(join(folder, name), 'utf8').trim());
      const head = [
        title,
        `License: ${manifest.license ?? 'see below'}`,
        `Source: ${sourceOf(manifest)}`,
      ];
      return [head.join('\n'), ...texts].join('\n\n');
    });
  const rule = `\n\n${'-'.repeat(80)}\n\n`;
  return `${['The chatd web UI contains these packages.', ...new Set(sections)].join(rule)}\n`;
}

function sourceOf({ repository, homepage }: Manifest): string {
  const url = typeof repository === 'string' ? repository : repository?.url;
  return (url ?? homepage ?? 'unknown').replace(/^git\+/, '').replace(/\.git$/, '');
}
