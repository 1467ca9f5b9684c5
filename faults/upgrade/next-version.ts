import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import type { Version } from '../deployment/deployment.ts';

const REPOSITORY = join(import.meta.dirname, '..', '..');
const SERVER = 'packages/server';
const COPIED = ['package.json', `${SERVER}/package.json`, `${SERVER}/src`, 'faults/deployment'];

export interface NextVersion extends Version {
  remove(): Promise<void>;
}

/** A copy of this checkout with additional migrations, by name. */
export async function makeNextVersion(
  migrations: Readonly<Record<string, string>>,
): Promise<NextVersion> {
  const directory = await makeTemporaryDirectory();
  await mkdir(join(directory, SERVER), { recursive: true });
  for (const path of COPIED) {
    await cp(join(REPOSITORY, path), join(directory, path), { recursive: true });
  }
  await symlink(join(REPOSITORY, 'node_modules'), join(directory, 'node_modules'));
  const folder = join(directory, SERVER, 'src/store/migrations');
  for (const [name, sql] of Object.entries(migrations)) {
    await writeFile(join(folder, `${name}.sql`), sql);
  }
  return {
    program: join(directory, 'faults/deployment/replica-program.ts'),
    migrations: folder,
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
