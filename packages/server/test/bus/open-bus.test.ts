import { expect, onTestFinished, test } from 'vitest';
import { BrokerBus } from '../../src/bus/broker-bus.ts';
import type { Bus } from '../../src/bus/bus.ts';
import { MemoryBus } from '../../src/bus/memory-bus.ts';
import { openBus, type OpenBusOptions } from '../../src/bus/open-bus.ts';
import { createTestDatabase, execute } from '@chatd/test-server/database';
import { silent } from './world.ts';

const NOWHERE = 'postgresql://nobody:hidden-word@127.0.0.1:1/nothing';

async function open(options: Partial<OpenBusOptions>): Promise<Bus> {
  const bus = await openBus({
    busUrl: undefined,
    databaseUrl: NOWHERE,
    databaseDirectUrl: undefined,
    alone: false,
    log: silent,
    patienceMs: 0,
    ...options,
  });
  onTestFinished(() => bus.close());
  return bus;
}

test('the only process of a database needs no broker', async () => {
  expect(await open({ alone: true })).toBeInstanceOf(MemoryBus);
});

test('memory: is a bus for one process on any database', async () => {
  expect(await open({ busUrl: 'memory:' })).toBeInstanceOf(MemoryBus);
});

test('by default, replicas use the database as the bus, with one connection each', async () => {
  const { url } = await createTestDatabase(onTestFinished);
  expect(await open({ databaseUrl: url })).toBeInstanceOf(BrokerBus);
  const sessions = await execute(
    url,
    `SELECT application_name FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  );
  expect(sessions).toEqual([{ application_name: 'chatd bus' }]);
});

test('the direct URL is preferred over the URL of a pooler', async () => {
  const { url } = await createTestDatabase(onTestFinished);
  expect(await open({ databaseDirectUrl: url })).toBeInstanceOf(BrokerBus);
});

test('the error of an unreachable broker names it without its credentials', async () => {
  for (const [options, what] of [
    [{}, { kind: 'database_unreachable', message: expect.stringMatching(/^The database cannot/) }],
    [
      { busUrl: 'nats://someone:hidden-word@127.0.0.1:1' },
      {
        kind: 'bus_unreachable',
        message: expect.stringMatching(
          /^The NATS server at nats:\/\/127\.0\.0\.1:1 cannot be used/,
        ),
      },
    ],
  ] as const) {
    const refused: unknown = await open(options).catch((error: unknown) => error);
    expect(refused).toMatchObject(what);
    expect(String(refused)).not.toContain('hidden-word');
  }
});

test('waiting for a broker ends when startup is aborted', async () => {
  const controller = new AbortController();
  const progress: string[] = [];
  const opened = open({
    patienceMs: 60_000,
    signal: controller.signal,
    onProgress(line) {
      progress.push(line);
      controller.abort(new Error('stopping'));
    },
  });
  await expect(opened).rejects.toThrow(/abort|stopping/);
  expect(progress).toEqual([expect.stringMatching(/^Waiting for the bus\. The database cannot/)]);
  expect(progress.join()).not.toContain('hidden-word');
});
