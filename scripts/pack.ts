import { resolve } from 'node:path';
import { refreshBuild } from './packing/built-files.ts';
import { packPackage } from './packing/pack-package.ts';
import { ensureWebUi } from './web-ui.ts';

/** `npm run pack [-- FOLDER]`: what can be installed anywhere, with one command: `npm install -g FOLDER/chatd-….tgz`. */
const into = resolve(process.argv[2] ?? 'packed');
await refreshBuild();
await ensureWebUi((line) => console.log(line));
for (const name of ['@chatd/server', 'chatd']) console.log(await packPackage(name, into));
