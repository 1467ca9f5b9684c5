import { afterAll, expect, onTestFinished, test } from 'vitest';
import { Database } from '../../src/store/database.ts';
import { snapshot } from '../../src/store/snapshot.ts';
import { statement } from '../../src/store/statement.ts';
import { Store } from '../../src/store/store.ts';
import { createTestDatabase } from '@chatd/test-server/database';

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

/** Ordinary connections that are all in use until the test ends. */
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
