import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';

const run = promisify(execFile);
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** The first Debian whose PgBouncer keeps prepared statements in transaction mode. */
const SUITE = 'trixie';

/** Why it cannot be fetched here, or undefined if it can. */
export function noNewerPgBouncer(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'Linux on x64 only';
  return ['/usr/bin/apt-get', KEYRING].find((file) => !existsSync(file))?.concat(' is missing');
}

export interface FetchedPgBouncer {
  readonly command: readonly string[];
  remove(): Promise<void>;
}

/** PgBouncer of a newer Debian and its libraries, in a temporary folder. Nothing is installed on this machine. */
export async function fetchNewerPgBouncer(): Promise<FetchedPgBouncer> {
  const folder = await makeTemporaryDirectory();
  const at = (...names: string[]) => join(folder, ...names);
  await mkdir(at('lists/partial'), { recursive: true });
  await mkdir(at('cache/archives/partial'), { recursive: true });
  await writeFile(at('status'), '');
  await writeFile(
    at('sources.list'),
    `deb [signed-by=${KEYRING}] http://deb.debian.org/debian ${SUITE} main\n`,
  );
  const options = Object.entries({
    'Dir::Etc::sourcelist': at('sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::lists': at('lists'),
    'Dir::State::status': at('status'),
    'Dir::Cache': at('cache'),
    'APT::Sandbox::User': 'root',
    'Debug::NoLocking': '1',
  }).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const apt = (...args: string[]) => run('apt-get', ['-q', '-y', ...options, ...args]);
  await apt('update');
  await apt('install', '--download-only', '--no-install-recommends', 'pgbouncer');
  const archives = (await readdir(at('cache/archives'))).filter((name) => name.endsWith('.deb'));
  for (const name of archives) {
    await run('dpkg-deb', ['--extract', at('cache/archives', name), at('root')]);
  }
  return {
    command: [
      at('root/usr/lib64/ld-linux-x86-64.so.2'),
      '--library-path',
      at('root/usr/lib/x86_64-linux-gnu'),
      at('root/usr/sbin/pgbouncer'),
    ],
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
