import { basename, resolve } from 'node:path';
import { writeBillOfMaterials } from './packing/bill-of-materials.ts';
import { refreshBuild } from './packing/built-files.ts';
import { writeChecksums } from './packing/checksums.ts';
import { writeInstallation } from './packing/installation.ts';
import { versionOf } from './packing/manifest.ts';
import { packPackage } from './packing/pack-package.ts';
import { ensureWebUi } from './web-ui.ts';

/**
 * `npm run pack [-- FOLDER]`: what can be installed anywhere. `npm ci` in the folder installs chatd with exactly what was
 * tested; `npm install -g FOLDER/chatd-….tgz` with what is newest within the ranges of its dependencies.
 */
const into = resolve(process.argv[2] ?? 'packed');
await refreshBuild();
await ensureWebUi((line) => console.log(line));
const server = await packPackage('@chatd/server', into);
const command = await packPackage('chatd', into);
writeInstallation('chatd', command, into);
const version = versionOf('chatd');
writeBillOfMaterials(version, into);
writeChecksums(into, [
  ...[server, command].map((file) => basename(file)),
  'package.json',
  'package-lock.json',
  `chatd-${version}.cdx.json`,
]);
console.log(`${[server, command].join('\n')}\nInstall it with \`npm ci --prefix ${into}\`.`);
