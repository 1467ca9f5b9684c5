import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, tool } from './checks.ts';
import { run } from './stage.ts';

const WEB = join(ROOT, 'packages', 'web');
const DIST = join(WEB, 'dist');
/** Next to the output directory, whose content is published. */
const STAMP = join(WEB, '.built');

/** All inputs of the build. */
const SOURCES = [
  'packages/web/src',
  'packages/web/public',
  'packages/web/build',
  'packages/web/index.html',
  'packages/web/vite.config.ts',
  'packages/web/package.json',
  'packages/client/src',
  'packages/protocol/src',
  'package-lock.json',
];

/** Builds the web UI if it is missing or outdated. */
export async function ensureWebUi(say: (line: string) => void): Promise<void> {
  const wanted = hashOfSources();
  const built = existsSync(STAMP) ? readFileSync(STAMP, 'utf8') : '';
  if (built === wanted && existsSync(join(DIST, 'index.html'))) return;
  say('chatd: building the web UI (first start, or after a change)');
  await buildWebUi();
  writeFileSync(STAMP, wanted);
}

/** Builds into a temporary directory and swaps it in, so that a running server never sees a partial build. */
export async function buildWebUi(): Promise<void> {
  const fresh = `${DIST}.${process.pid}`;
  await buildWebUiInto(fresh);
  rmSync(DIST, { recursive: true, force: true });
  renameSync(fresh, DIST);
}

export async function buildWebUiInto(folder: string): Promise<void> {
  const build = tool(
    'vite',
    'build',
    WEB,
    '--outDir',
    folder,
    '--emptyOutDir',
    '--logLevel',
    'warn',
  );
  // Test runners set another NODE_ENV, which would select the development build of React.
  const env = { ...process.env, NODE_ENV: 'production' };
  const { code, output } = await run({ ...build, env });
  if (code === 0) return;
  rmSync(folder, { recursive: true, force: true });
  throw new Error(`The web UI could not be built:\n${output}`);
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  for (const name of SOURCES.flatMap(filesOf)) {
    hash
      .update(name)
      .update('\0')
      .update(readFileSync(join(ROOT, name)))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesOf(name: string): string[] {
  try {
    const entries = readdirSync(join(ROOT, name), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1))
      .sort();
  } catch {
    return [name];
  }
}
