import { chown, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import type { TestContext } from 'vitest';
import type { PostgresAccount } from '../../src/postgres/account.ts';
import { startEmbeddedPostgres } from '../../src/postgres/index.ts';
import { freshDataDirectory } from '../support/data-directory.ts';
import { execute } from '@chatd/test-server/database';
import { startSupervisor, started } from '../support/supervisor.ts';
import type { Supervisor } from '../support/supervisor.ts';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';

const run = promisify(execFile);

/** An account that exists on every system and is neither root nor one that root's PostgreSQL would run under. */
const STRANGER = { name: 'daemon', uid: 1, gid: 1 };
/** A user ID without an account, as in many containers. */
const NAMELESS = { name: '54321', uid: 54_321, gid: 54_321 };

test('a database of another user can be run by root, and then by that user again', async (context) => {
  const home = await homeOf(STRANGER, context);
  const dataDir = join(home, 'data');
  const first = supervisorOf(STRANGER, dataDir, home);
  const { url = '', adopted } = await first.says(started);
  expect(adopted).toBe(false);
  await execute(url, 'CREATE TABLE kept AS SELECT 1 AS id');
  await first.stop();

  const asRoot = await startEmbeddedPostgres({ dataDir });
  expect(await execute(asRoot.url, 'SELECT id FROM kept')).toEqual([{ id: 1 }]);
  await asRoot.stop();

  const again = supervisorOf(STRANGER, dataDir, home);
  expect(await again.says(started)).toMatchObject({ adopted: false, url });
  expect(await execute(url, 'SELECT id FROM kept')).toEqual([{ id: 1 }]);
  await again.stop();
});

test('a database of another user is refused with the reason', async (context) => {
  const home = await homeOf(STRANGER, context);
  const dataDir = await freshDataDirectory();
  const server = await startEmbeddedPostgres({ dataDir });
  await server.stop();
  const supervisor = supervisorOf(STRANGER, dataDir, home);
  expect(await supervisor.says(started)).toMatchObject({
    kind: 'foreign_data_directory',
    error: expect.stringContaining('belongs to another user'),
    hint: expect.stringContaining('CHATD_DATA_DIR'),
  });
});

test('a directory without write permission is refused with the reason', async (context) => {
  const home = await homeOf(STRANGER, context);
  await chown(home, 0, 0);
  const supervisor = supervisorOf(STRANGER, join(home, 'data'), home);
  expect(await supervisor.says(started)).toMatchObject({
    kind: 'unusable_directory',
    error: expect.stringContaining('permission denied'),
  });
});

test('a user ID without an account is refused with a hint', async (context) => {
  const home = await homeOf(NAMELESS, context);
  const supervisor = supervisorOf(NAMELESS, join(home, 'data'), home);
  expect(await supervisor.says(started)).toMatchObject({
    kind: 'initialisation_failed',
    error: expect.stringContaining('user does not exist'),
    hint: expect.stringContaining('/etc/passwd'),
  });
});

function supervisorOf(account: PostgresAccount, dataDir: string, home: string): Supervisor {
  const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: home };
  return startSupervisor(dataDir, { account, env });
}

async function homeOf({ uid, gid }: PostgresAccount, context: TestContext): Promise<string> {
  if (process.geteuid?.() !== 0) context.skip('only root can act as another user');
  await run(process.execPath, ['--version'], { uid, gid }).catch(() =>
    context.skip(`another user cannot run ${process.execPath}`),
  );
  await run('ls', [import.meta.dirname], { uid, gid }).catch(() =>
    context.skip(`another user cannot read ${import.meta.dirname}`),
  );
  const parent = await makeTemporaryDirectory();
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const home = join(parent, 'home');
  await mkdir(home, { mode: 0o711 });
  await chown(home, uid, gid);
  return home;
}
