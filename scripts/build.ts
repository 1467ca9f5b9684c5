import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { packagesWith, ROOT, tool } from './checks.ts';
import { stage } from './stage.ts';

process.chdir(ROOT);
const { ok } = await stage('build', [tool('tsc', '-b', ...packagesWith('tsconfig.json'))]);
if (ok) copySql();
else process.exitCode = 1;

/** tsc copies no files that are not its own. */
function copySql(): void {
  const migrations = join('store', 'migrations');
  cpSync(join('packages/server/src', migrations), join('packages/server/dist', migrations), {
    recursive: true,
  });
}
