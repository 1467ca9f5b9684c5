import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { packagesWith, ROOT, tool } from './checks.ts';
import { copyAssets } from './packing/built-files.ts';
import { stage } from './stage.ts';
import { buildWebUi } from './web-ui.ts';

process.chdir(ROOT);
const packages = packagesWith('tsconfig.json');
// A clean build: files of renamed or removed sources must not be published.
for (const folder of packages) rmSync(join(folder, 'dist'), { recursive: true, force: true });
const { ok } = await stage('build', [tool('tsc', '-b', '--force', ...packages)]);
if (ok) {
  copyAssets();
  await buildWebUi();
} else {
  process.exitCode = 1;
}
