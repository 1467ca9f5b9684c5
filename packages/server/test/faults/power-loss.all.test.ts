import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from '../../../../faults/deployment/postgres.ts';
import { recordUnsyncedWrites } from '../../../../faults/power/unsynced-writes.ts';
import { powerLoss } from '../../../../faults/rows/power-loss.ts';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';

const TIMEOUT_MS = 240_000;

/** Number of 100 acknowledged rows that survive a power loss. */
async function rowsLeft(settings: Record<string, string>): Promise<number> {
  const directory = await makeTemporaryDirectory();
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const dataParent = join(directory, 'disk');
  await mkdir(dataParent, { mode: 0o711 });
  const disk = await recordUnsyncedWrites(dataParent, directory);
  if ('refused' in disk) throw new Error(disk.refused);
  const postgres = await startPostgres({
    dataParent,
    environment: disk.environment,
    settings: { wal_sync_method: 'fdatasync', ...settings },
  });
  onTestFinished(() => postgres.stop());
  const url = postgres.urlOf('postgres');
  const writer = new Client({ connectionString: url });
  writer.on('error', () => undefined);
  await writer.connect();
  await writer.query('CREATE TABLE acknowledged (n integer)');
  await writer.query('CHECKPOINT');
  for (let n = 0; n < 100; n += 1) await writer.query('INSERT INTO acknowledged VALUES ($1)', [n]);
  await postgres.kill();
  await disk.lose();
  await postgres.start();
  const reader = new Client({ connectionString: url });
  await reader.connect();
  const { rows } = await reader.query<{ left: number }>(
    'SELECT count(*)::int AS left FROM acknowledged',
  );
  await reader.end();
  return rows[0]?.left ?? -1;
}

test(
  'acknowledged rows survive with synchronous_commit, and are lost without it',
  { timeout: TIMEOUT_MS },
  async () => {
    expect(await rowsLeft({})).toBe(100);
    // Delays the WAL writer, which would sync in the background.
    const asynchronous = {
      synchronous_commit: 'off',
      wal_writer_delay: '10s',
      wal_writer_flush_after: '1GB',
    };
    expect(await rowsLeft(asynchronous)).toBeLessThan(100);
  },
);

test('writes that chatd acknowledged survive a power loss', { timeout: TIMEOUT_MS }, async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const outcome = await powerLoss.run({
    bus: 'postgres',
    postgres,
    rounds: 2,
    chats: powerLoss.chats,
    log: () => undefined,
  });
  expect(outcome).toMatchObject({ problems: [] });
  expect(outcome.skipped).toBeUndefined();
});
