import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packagesWith, ROOT, tool } from '../checks.ts';
import { run } from '../stage.ts';

/** Copies run-time files that tsc does not copy. */
export function copyAssets(): void {
  const migrations = join('store', 'migrations');
  cpSync(
    join(ROOT, 'packages/server/src', migrations),
    join(ROOT, 'packages/server/dist', migrations),
    { recursive: true },
  );
  // Copied instead of installed: the package depends on one that reports installations to a third party.
  const swaggerUi = join(ROOT, 'packages/server/dist/http/swagger-ui');
  for (const name of SWAGGER_UI) {
    cpSync(join(ROOT, 'node_modules/swagger-ui-dist', name), join(swaggerUi, name));
  }
}

export const SWAGGER_UI = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'favicon-32x32.png',
  'LICENSE',
  'NOTICE',
  'swagger-ui-bundle.js.LICENSE.txt',
];

/** Updates `dist` in place, because other processes may be reading it. */
export async function refreshBuild(): Promise<void> {
  // Vite builds the web UI.
  const packages = packagesWith('tsconfig.json').filter(
    (folder) => !existsSync(join(ROOT, folder, 'vite.config.ts')),
  );
  const { code, output } = await run(
    tool('tsc', '-b', ...packages.map((name) => join(ROOT, name))),
  );
  if (code !== 0) throw new Error(`The packages could not be built:\n${output}`);
  for (const folder of packages) removeOrphans(folder);
  copyAssets();
}

/** Removes output of deleted sources. */
function removeOrphans(folder: string): void {
  const dist = join(ROOT, folder, 'dist');
  for (const name of filesIn(dist)) {
    const [, base] = /^(.*?)(?:\.d\.ts|\.js|\.js\.map)$/.exec(name) ?? [];
    if (base === undefined) continue;
    const source = join(ROOT, folder, 'src', base);
    if (!['.ts', '.tsx', '.js'].some((ending) => existsSync(`${source}${ending}`))) {
      rmSync(join(dist, name));
    }
  }
}

/** Files below a folder as sorted relative paths. */
export function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
