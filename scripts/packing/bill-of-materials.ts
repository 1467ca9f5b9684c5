import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../checks.ts';
import { type LockedPackage, readLockFile } from '../dependencies/lock-file.ts';

/** Writes what is in an installation of `chatd`, and in the web UI's bundle, as a CycloneDX document without dates. */
export function writeBillOfMaterials(version: string, folder: string): void {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const installed = readLockFile(lock).filter(({ resolved }) => resolved === undefined);
  const components = [
    ...installed.filter(({ integrity }) => integrity !== undefined).map(component),
    ...bundledInWebUi().map((one) => ({
      ...component(one),
      properties: [{ name: 'chatd:bundled', value: 'web UI' }],
    })),
  ];
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        name: 'chatd',
        version,
        purl: `pkg:npm/chatd@${version}`,
        licenses: [{ expression: 'Apache-2.0' }],
      },
    },
    components,
  };
  writeFileSync(
    join(folder, `chatd-${version}.cdx.json`),
    `${JSON.stringify(document, null, 2)}\n`,
  );
}

type Named = Pick<LockedPackage, 'name' | 'version' | 'licence'> & {
  readonly integrity?: string | undefined;
};

function component({ name, version, licence, integrity }: Named): object {
  const [, digest] = /^sha512-(.+)$/.exec(integrity ?? '') ?? [];
  return {
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(licence === undefined ? {} : { licenses: [{ expression: licence }] }),
    ...(digest === undefined
      ? {}
      : { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }),
  };
}

/** The bundle says itself what is in it. */
function bundledInWebUi(): Named[] {
  const file = join(ROOT, 'packages', 'web', 'dist', 'third-party-notices.txt');
  const entries = readFileSync(file, 'utf8').matchAll(/^(\S+) (\d\S*)\nLicence: (.+)$/gm);
  return [...entries].map(([, name = '', version = '', licence]) => ({ name, version, licence }));
}
