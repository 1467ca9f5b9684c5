import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { readMigrations } from '../../packages/server/src/store/migrate/migrate.ts';
import type { Migration } from '../../packages/server/src/store/migrate/migration.ts';
import { makeTemporaryDirectory } from '../../packages/server/test/support/temporary-directory.ts';
import type { Version } from '../deployment/deployment.ts';

const run = promisify(execFile);
const REPOSITORY = join(import.meta.dirname, '..', '..');

/** An earlier state of this repository, in a folder of its own, with what it needs to run. */
export interface Revision extends Version {
  /** Its short hash. */
  readonly name: string;
  readonly directory: string;
  /** The newest migration that it knows. */
  readonly schema: Migration;
  remove(): Promise<void>;
}

const git = (...args: string[]) => run('git', args, { cwd: REPOSITORY });

/** Why the history of this checkout does not have a revision; undefined: it has. */
export async function whyMissing(revision: string): Promise<string | undefined> {
  try {
    await git('cat-file', '-e', `${revision}^{commit}`);
    return undefined;
  } catch {
    const shallow = await git('rev-parse', '--is-shallow-repository').catch(() => undefined);
    if (shallow === undefined) return 'this is no checkout of git: earlier versions cannot be had';
    return shallow.stdout.trim() === 'true'
      ? `the clone is shallow and has no ${revision}: git fetch --unshallow brings it`
      : `the history of this checkout has no ${revision}`;
  }
}

/** Brings a revision, and installs what its lock file names. */
export async function checkOut(
  revision: string,
  say: (line: string) => void = () => undefined,
): Promise<Revision> {
  const missing = await whyMissing(revision);
  if (missing !== undefined) throw new Error(missing);
  const parent = await makeTemporaryDirectory();
  const directory = join(parent, 'chatd');
  try {
    say(`bringing ${revision}`);
    await run('git', ['clone', '--quiet', '--shared', '--no-checkout', REPOSITORY, directory]);
    await run('git', ['checkout', '--quiet', '--detach', revision], { cwd: directory });
    const { stdout } = await run('git', ['rev-parse', '--short=7', 'HEAD'], { cwd: directory });
    say(`installing the dependencies of ${stdout.trim()}`);
    await run(npm(), ['install', '--no-save', '--omit=dev', '--include=optional', '--silent'], {
      cwd: directory,
      env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` },
    });
    const migrations = join(directory, 'packages/server/src/store/migrations');
    const schema = (await readMigrations(migrations)).at(-1);
    if (schema === undefined) throw new Error(`${revision} has no migrations`);
    return {
      name: stdout.trim(),
      directory,
      migrations,
      schema,
      program: join(directory, 'faults/deployment/replica-program.ts'),
      remove: () => rm(parent, { recursive: true, force: true }),
    };
  } catch (error) {
    await rm(parent, { recursive: true, force: true });
    throw error;
  }
}

/** The npm of the Node that runs us, where there is one. */
function npm(): string {
  const own = join(dirname(process.execPath), 'npm');
  return existsSync(own) ? own : 'npm';
}
