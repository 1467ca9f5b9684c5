import { expect, onTestFinished, test, vi } from 'vitest';
import { codeOf } from '../../src/postgres/error-code.ts';
import { startEmbeddedPostgres } from '../../src/postgres/index.ts';
import { inspectPostmaster } from '../../src/postgres/postmaster-pid.ts';
import { stopPostmaster } from '../../src/postgres/postmaster-stop.ts';
import { isAlive } from '../../src/postgres/process-identity.ts';
import { clusterIn, prepareDataDirectories } from '../support/data-directory.ts';
import { eventually } from '@chatd/test-server/eventually';
import { execute } from '@chatd/test-server/database';
import { startSupervisor, started } from '../support/supervisor.ts';

const ENDED_BY_ADMINISTRATOR = '57P01';
const directories = prepareDataDirectories();

test('a session in the middle of a long statement does not delay a stop', async () => {
  const dataDir = await directories.used();
  const server = await startEmbeddedPostgres({ dataDir });
  const busy = execute(server.url, 'SELECT pg_sleep(600)').catch(codeOf);
  await eventually(async () => {
    expect(await sleepers(server.url)).toHaveLength(1);
  });
  await server.stop();
  expect(await busy).toBe(ENDED_BY_ADMINISTRATOR);
  expect(await inspectPostmaster(clusterIn(dataDir))).toEqual({ state: 'absent' });
});

test('if a session does not end, the stop escalates to the next signal', async () => {
  const dataDir = await directories.used();
  const supervisor = startSupervisor(dataDir);
  const { url = '' } = await supervisor.says(started);
  await execute(url, 'CREATE TABLE kept AS SELECT 1 AS id');
  const busy = execute(url, 'SELECT pg_sleep(600)').catch(() => 'cut');
  const [session] = await eventually(async () => {
    const found = await sleepers(url);
    expect(found).toHaveLength(1);
    return found;
  });
  const found = await inspectPostmaster(clusterIn(dataDir));
  if (!('file' in found)) throw new Error('no server runs');
  await supervisor.kill();
  // A frozen session never sees the request to end.
  process.kill(session!.pid, 'SIGSTOP');
  await stopPostmaster(found.file.pid, clusterIn(dataDir), [
    { signal: 'SIGINT', patienceMs: 300 },
    { signal: 'SIGQUIT', patienceMs: 20_000 },
  ]);
  expect(isAlive(found.file.pid)).toBe(false);
  expect(await busy).toBe('cut');

  const server = await startEmbeddedPostgres({ dataDir });
  expect(await execute(server.url, 'SELECT id FROM kept')).toEqual([{ id: 1 }]);
  await server.stop();
});

test('a process that is not the PostgreSQL of this directory is never signaled', async () => {
  const dataDir = await directories.used();
  // Does nothing, so that a defect does not end the test.
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  onTestFinished(() => kill.mockRestore());
  await stopPostmaster(process.pid, clusterIn(dataDir), [{ signal: 'SIGINT', patienceMs: 0 }]);
  expect(kill).not.toHaveBeenCalledWith(process.pid, expect.any(String));
});

function sleepers(url: string): Promise<{ pid: number }[]> {
  return execute(url, `SELECT pid FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)'`);
}
