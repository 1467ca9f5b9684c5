import { copyFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { NOTICES } from './dependencies/notices.ts';
import { writeSbom } from './packing/sbom.ts';
import { refreshBuild } from './packing/built-files.ts';
import { writeChecksums } from './packing/checksums.ts';
import { writeInstallation } from './packing/installation.ts';
import { packedPackage, packedPackages } from './packing/manifest.ts';
import { packPackage } from './packing/pack-package.ts';
import { ensureWebUi } from './web-ui.ts';

/**
 * `npm run pack [-- FOLDER]`: writes installable packages. `npm ci` in the folder installs the `chatd` command with the
 * tested dependencies; `npm install FOLDER/NAME.tgz` installs a package with the newest dependencies in range.
 */
const into = resolve(process.argv[2] ?? 'packed');
await refreshBuild();
await ensureWebUi((line) => console.log(line));
const files: string[] = [];
for (const name of packedPackages().keys()) {
  const file = await packPackage(name, into);
  if (name === 'chatd') writeInstallation(name, file, into);
  files.push(file);
}
const { version } = packedPackage('chatd').manifest;
writeSbom(version, into);
copyFileSync(NOTICES, join(into, basename(NOTICES)));
writeChecksums(into, [
  ...files.map((file) => basename(file)),
  'package.json',
  'package-lock.json',
  `chatd-${version}.cdx.json`,
  basename(NOTICES),
]);
console.log(files.join('\n'));
console.log(`Install the chatd command with \`npm ci --prefix ${into}\`.`);
