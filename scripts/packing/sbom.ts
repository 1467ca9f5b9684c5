import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../checks.ts';

interface CycloneDx {
  readonly metadata: { readonly component: object };
  readonly components: readonly object[];
}

/** Writes the CycloneDX SBOM of an installation and of the web UI bundle, without time stamps, random IDs and absolute paths. */
export function writeSbom(version: string, folder: string): void {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=error'];
  const { serialNumber: _, ...sbom } = JSON.parse(
    execFileSync('npm', args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 }),
  ) as CycloneDx & { serialNumber: string };
  const document = {
    ...sbom,
    // npm names the component after the folder.
    metadata: { component: { ...sbom.metadata.component, name: 'chatd-installation' } },
    components: [...sbom.components, ...bundledInWebUi()],
  };
  const text = JSON.stringify(document, null, 2).replaceAll(/"file:[^"]*\//g, '"file:');
  writeFileSync(join(folder, `chatd-${version}.cdx.json`), `${text}\n`);
}

/** From the license notices that the build of the web UI writes. */
function bundledInWebUi(): object[] {
  const file = join(ROOT, 'packages', 'web', 'dist', 'third-party-notices.txt');
  const entries = readFileSync(file, 'utf8').matchAll(/^(\S+) (\d\S*)\nLicen[cs]e: (.+)$/gm);
  return [...entries].map(([, name = '', version = '', license = '']) => ({
    type: 'library',
    'bom-ref': `web-ui|${name}@${version}`,
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [{ expression: license }],
    properties: [{ name: 'chatd:bundled', value: 'web UI' }],
  }));
}
