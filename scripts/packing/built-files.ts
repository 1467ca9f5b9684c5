import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packagesWith, ROOT, tool } from '../checks.ts';
import { run } from '../stage.ts';

/** tsc copies no files that are not its own. */
export function copySql(): void {
  const migrations = join('store', 'migrations');
  cpSync(
    join(ROOT, 'packages/server/src', migrations),
    join(ROOT, 'packages/server/dist', migrations),
    { recursive: true },
  );
}

/** Brings `dist` up to date without taking it away: others may be reading it. */
export async function refreshBuild(): Promise<void> {
  // The web UI is built by Vite, for itself.
  const packages = packagesWith('tsconfig.json').filter(
    (folder) => !existsSync(join(ROOT, folder, 'vite.config.ts')),
  );
  const { code, output } = await run(
    tool('tsc', '-b', ...packages.map((name) => join(ROOT, name))),
  );
  if (code !== 0) throw new Error(`The packages could not be built:\n${output}`);
  copySql();
  for (const folder of packages) removeOrphans(folder);
}

/** What tsc once wrote for a source that is gone must not be published. */
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

/** The files below a folder, relative to it, in order. */
export function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
