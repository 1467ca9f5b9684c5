import { Connection } from 'pg';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { Database } from '../../src/store/database.ts';
import { snapshot } from '../../src/store/snapshot.ts';
import { statement } from '../../src/store/statement.ts';
import { Store } from '../../src/store/store.ts';
import { createTestDatabase, execute } from '@chatd/test-server/database';

const { url } = await createTestDatabase();
const store = new Store({ url, connections: 2, readTimeoutMs: 50 });
afterAll(() => store.close());
const { database } = store;

const sleepForever = statement<null, never>('test-sleep', 'SELECT pg_sleep(3600)');
const one = statement<null, { one: number }>('test-one', 'SELECT 1 AS one');
const timeout = statement<null, { statement_timeout: string }>(
  'test-timeout',
  'SHOW statement_timeout',
);
const write = statement<null, never>('test-write', `UPDATE settings SET value = '{}'`);

/** Holds all ordinary connections until the test ends. */
async function takeOrdinaryConnections(): Promise<void> {
  const taken = await Promise.all([database.begin(), database.begin()]);
  onTestFinished(async () => {
    for (const tx of taken) await tx.rollback();
  });
}

test('a heartbeat gets through while all ordinary connections are busy', async () => {
  await takeOrdinaryConnections();
  expect(await store.runner.heartbeat('00000000-0000-4000-8000-000000000001')).toEqual([]);
  expect(database.stats).toMatchObject({ idle: 0 });
});

test('more reserved statements than reserved connections wait for each other, not for ordinary ones', async () => {
  await takeOrdinaryConnections();
  const rows = await Promise.all(Array.from({ length: 20 }, () => database.reserved.query(one)));
  expect(rows).toEqual(Array.from({ length: 20 }, () => [{ one: 1 }]));
});

test('an API read is canceled after the statement timeout, and its connection is used again', async () => {
  const refusal = { name: 'Refused', code: 'query_timeout' };
  await expect(database.reads.query(sleepForever)).rejects.toMatchObject(refusal);
  await expect(snapshot(database, (db) => db.query(sleepForever))).rejects.toMatchObject(refusal);
  expect(await database.reads.query(one)).toEqual([{ one: 1 }]);
});

test('the statement timeout of a read does not stay on its connection', async () => {
  const { url: another } = await createTestDatabase(onTestFinished);
  const single = new Database({ url: another, connections: 1, readTimeoutMs: 1234 });
  try {
    expect(await single.reads.query(timeout)).toEqual([{ statement_timeout: '1234ms' }]);
    expect(await single.query(timeout)).toEqual([{ statement_timeout: '0' }]);
  } finally {
    await single.close();
  }
});

test('an API read cannot write', async () => {
  await expect(database.reads.query(write)).rejects.toThrow(/unavailable|not available|read-only/);
});

test('the columns of a statement are described once per connection', async () => {
  const describe = vi.spyOn(
    Connection.prototype as unknown as { describe: () => void },
    'describe',
  );
  onTestFinished(() => describe.mockRestore());
  const single = new Database({ url, connections: 1 });
  onTestFinished(() => single.close());
  const numbers = statement<{ count: number }, { n: number; text: string | null }>(
    'test-described',
    `SELECT n::bigint AS n, nullif(n, 2)::text AS text FROM generate_series(1, :count::int) AS n`,
  );
  const rows = [
    { n: 1, text: '1' },
    { n: 2, text: null },
    { n: 3, text: '3' },
  ];
  for (const count of [3, 0, 1, 2]) {
    expect(await single.query(numbers, { count })).toEqual(rows.slice(0, count));
  }
  expect(describe).toHaveBeenCalledTimes(1);
});

test('a statement whose columns have changed is refused, not misread', async () => {
  const { url: another } = await createTestDatabase(onTestFinished);
  const single = new Database({ url: another, connections: 1 });
  onTestFinished(() => single.close());
  const read = statement<null, { value: number }>('test-changed', 'SELECT value FROM changing');
  await execute(another, 'CREATE TABLE changing AS SELECT 7 AS value');
  expect(await single.query(read)).toEqual([{ value: 7 }]);
  await execute(another, 'ALTER TABLE changing ALTER COLUMN value TYPE text');
  await expect(single.query(read)).rejects.toThrow('cached plan must not change result type');
});
