import {
  chmod,
  constants,
  copyFile,
  mkdir,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { flush } from './durable.ts';
import type { PlatformPackage } from './platform-package.ts';
import { discard, finish, removeAbandoned, unfinishedName } from './unfinished-directory.ts';

const LINKS = z.array(z.object({ source: z.string(), target: z.string() }));

/** The PostgreSQL programs in the data directory, readable for the account that runs them. */
export interface Installation {
  readonly version: string;
  readonly major: string;
  readonly postgres: string;
  readonly initdb: string;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Copied instead of used in place: the account of PostgreSQL may not be able to read node_modules, and a running server
 * must survive an upgrade that replaces node_modules.
 */
export async function install(
  source: PlatformPackage,
  parent: string,
  onProgress: (line: string) => void,
): Promise<Installation> {
  const target = join(parent, source.version);
  if (!(await exists(target))) {
    onProgress(`Unpacking PostgreSQL ${source.version} into ${target}`);
    await mkdir(parent, { recursive: true, mode: 0o755 });
    await chmod(parent, 0o755);
    await removeAbandoned(target);
    const unfinished = unfinishedName(target);
    try {
      await copyTree(source.native, unfinished);
      await linkLibraries(source.native, unfinished);
      await flushTree(unfinished);
      await finish(unfinished, target);
    } catch (error) {
      await discard(unfinished);
      throw error;
    }
  }
  return {
    version: source.version,
    major: source.major,
    postgres: join(target, 'bin', 'postgres'),
    initdb: join(target, 'bin', 'initdb'),
    environment: environment(join(target, 'lib')),
  };
}

/** Removes other versions, which are not in use after a start. */
export async function removeOtherVersions(parent: string, version: string): Promise<void> {
  const names = await readdir(parent);
  const others = names.filter((name) => name !== version && !name.includes('.unfinished-'));
  for (const name of others) {
    // Unpacked by another user. It can stay.
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** No environment is inherited: it contains keys, and PG* variables would affect PostgreSQL. */
function environment(libraries: string): NodeJS.ProcessEnv {
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    LD_LIBRARY_PATH: libraries,
    LC_ALL: 'C',
    TZ: 'UTC',
  };
}

/** Sets modes explicitly, because a strict umask would lock PostgreSQL out of its own programs. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o755 });
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target);
    // Created by an install script. The links are made from the package's own list instead.
    else if (entry.isFile() && isNeeded(entry.name)) await copyProgram(source, target);
  }
}

/** One flush at the end. Flushing after each file takes four times as long. */
async function flushTree(directory: string): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true });
  await Promise.all(
    entries.map(async (entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) await flushTree(path);
      else if (entry.isFile()) await flush(path);
    }),
  );
  await flush(directory);
}

async function copyProgram(source: string, target: string): Promise<void> {
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  await chmod(target, ((await stat(source)).mode & 0o111) === 0 ? 0o644 : 0o755);
}

function isNeeded(name: string): boolean {
  return !name.endsWith('.a') && !name.endsWith('.pc');
}

async function linkLibraries(native: string, target: string): Promise<void> {
  const links = LINKS.parse(JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')));
  for (const link of links) {
    const at = join(target, relative('native', link.target));
    await symlink(relative(dirname(link.target), link.source), at);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
