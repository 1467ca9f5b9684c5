import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { readMigrations } from '../../packages/server/src/store/migrate/migrate.ts';
import type { Migration } from '../../packages/server/src/store/migrate/migration.ts';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import type { Version } from '../deployment/deployment.ts';

const run = promisify(execFile);
const REPOSITORY = join(import.meta.dirname, '..', '..');
const FIRST_WITH_LIMITS = 18;
const FIRST_WITH_MACHINES = 24;

/** A checkout of an earlier commit in a separate folder, with its dependencies. */
export interface Revision extends Version {
  /** Short hash. */
  readonly name: string;
  readonly directory: string;
  /** Its newest migration. */
  readonly schema: Migration;
  /** Path of its server program, which also runs machines. Undefined: it has no machines. */
  readonly machineProgram?: string;
  remove(): Promise<void>;
}

const git = (...args: string[]) => run('git', args, { cwd: REPOSITORY });

/** The reason why a revision is not available; undefined if it is. */
export async function missingReason(revision: string): Promise<string | undefined> {
  try {
    await git('cat-file', '-e', `${revision}^{commit}`);
    return undefined;
  } catch {
    const shallow = await git('rev-parse', '--is-shallow-repository').catch(() => undefined);
    if (shallow === undefined) return 'Earlier versions require a git checkout.';
    return shallow.stdout.trim() === 'true'
      ? `Revision ${revision} is missing in this shallow clone. Run git fetch --unshallow.`
      : `Revision ${revision} not found.`;
  }
}

/** Checks out a revision and installs its dependencies. */
export async function checkOut(
  revision: string,
  log: (line: string) => void = () => undefined,
): Promise<Revision> {
  const missing = await missingReason(revision);
  if (missing !== undefined) throw new Error(missing);
  const parent = await makeTemporaryDirectory();
  const directory = join(parent, 'chatd');
  try {
    log(`checking out ${revision}`);
    await run('git', ['clone', '--quiet', '--shared', '--no-checkout', REPOSITORY, directory]);
    await run('git', ['checkout', '--quiet', '--detach', revision], { cwd: directory });
    const { stdout } = await run('git', ['rev-parse', '--short=7', 'HEAD'], { cwd: directory });
    log(`installing the dependencies of ${stdout.trim()}`);
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
      withoutLimits: schema.version < FIRST_WITH_LIMITS,
      ...(schema.version >= FIRST_WITH_MACHINES && {
        machineProgram: join(directory, 'packages/server/src/main.ts'),
      }),
      remove: () => rm(parent, { recursive: true, force: true }),
    };
  } catch (error) {
    await rm(parent, { recursive: true, force: true });
    throw error;
  }
}

/** The npm next to the running Node, if any. */
function npm(): string {
  const own = join(dirname(process.execPath), 'npm');
  return existsSync(own) ? own : 'npm';
}
