import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { Client } from 'pg';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { openBus, openPostgresBus } from '../../src/bus/open-bus.ts';
import { startEmbeddedPostgres } from '../../src/postgres/index.ts';
import { createDatabase, createTestDatabase, execute, TEMPLATE } from '@chatd/test-server/database';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { describeContract } from './contract.ts';
import { describeOutages } from './outages.ts';
import { startProxy } from '@chatd/test-server/programs';
import { type BrokerHarness, Mailbox, nextGap, silent } from './world.ts';

describeContract('in PostgreSQL', async () => {
  const database = await createDatabase(inject('postgresUrl'), TEMPLATE);
  return {
    open: ({ log = silent } = {}) => openPostgresBus({ url: database.url, log }),
    close: () => database.drop(),
  };
});

describeOutages('in PostgreSQL', startHarness);

async function startHarness(): Promise<BrokerHarness> {
  const dataDir = await makeTemporaryDirectory();
  let server = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });
  return {
    async close() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
    open: ({ log = silent, ...options } = {}) =>
      openPostgresBus({ url: server.url, log, ...options }),
    async openRemote({ log = silent, ...options } = {}) {
      const proxy = await startProxy({ path: socketOf(server.url) });
      onTestFinished(() => proxy.close());
      const url = throughPort(server.url, proxy.port);
      return { bus: await openPostgresBus({ url, log, ...options }), proxy };
    },
    unreachable: /ENOENT|ECONNREFUSED/,
    stopServer: () => server.stop(),
    async startServer() {
      server = await startEmbeddedPostgres({ dataDir, settings: { fsync: 'off' } });
    },
  };
}

const socketOf = (url: string) =>
  join(new URL(url).searchParams.get('host') ?? '', '.s.PGSQL.5432');

function throughPort(url: string, port: number): string {
  const { username, password, pathname } = new URL(url);
  return `postgresql://${username}:${password}@127.0.0.1:${port}${pathname}`;
}

describe('in PostgreSQL', () => {
  test('a connection that an administrator terminates is replaced', async () => {
    const { url } = await createTestDatabase(onTestFinished);
    const bus = await openPostgresBus({ url, log: silent });
    onTestFinished(() => bus.close());
    const gap = nextGap(bus);
    const ended = await execute<{ ended: boolean }>(
      url,
      `SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'chatd bus'`,
    );
    expect(ended).toEqual([{ ended: true }]);
    await gap;
    expect(bus.stats.reconnects).toBe(1);
  });

  test('a pooler that drops notifications fails startup with a hint', async () => {
    const { url } = await createTestDatabase(onTestFinished);
    const proxy = await startProxy({ path: socketOf(url) }, withoutNotifications);
    onTestFinished(() => proxy.close());
    const opened = openBus({
      busUrl: undefined,
      databaseUrl: throughPort(url, proxy.port),
      databaseDirectUrl: undefined,
      alone: false,
      log: silent,
    });
    await expect(opened).rejects.toMatchObject({
      kind: 'database_unreachable',
      message: expect.stringMatching(/did not come back, as behind a pooler/),
      hint: expect.stringMatching(/CHATD_DATABASE_DIRECT_URL/),
    });
  });

  test('messages are sent only while another process subscribes', async () => {
    const { url } = await createTestDatabase(onTestFinished);
    const bus = await openPostgresBus({ url, log: silent });
    onTestFinished(() => bus.close());
    const subject = `subject.${randomUUID()}`;
    const own = await Mailbox.on(bus, subject);
    const wire = await eavesdrop(url, `chatd.say.${subject}`);
    bus.publish(subject, 'to myself');
    await own.has('to myself');
    // Uses the same connection, so it completes after the batch.
    await bus.subscribe('barrier', () => undefined);
    await wire.say('end');
    expect(await wire.heard.has('end')).toEqual(['end']);

    const other = await openPostgresBus({ url, log: silent });
    onTestFinished(() => other.close());
    const there = new Mailbox();
    const subscription = await other.subscribe(subject, there.take);
    bus.publish(subject, 'now');
    expect(await there.has('now')).toEqual(['now']);
    await subscription.close();
    const locks = await execute<{ count: string }>(
      url,
      `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database =
         (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    // Two for the inboxes, two for the first bus's subscriptions.
    expect(locks).toEqual([{ count: '4' }]);
  });
});

/** Drops notifications, like a pooler in transaction mode. */
function withoutNotifications(): Transform {
  let waiting = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      waiting = Buffer.concat([waiting, chunk]);
      for (;;) {
        const length = waiting.length >= 5 ? 1 + waiting.readInt32BE(1) : Number.POSITIVE_INFINITY;
        if (waiting.length < length) break;
        if (waiting.toString('latin1', 0, 1) !== 'A') this.push(waiting.subarray(0, length));
        waiting = waiting.subarray(length);
      }
      done();
    },
  });
}

/** Receives what is sent without registering as a subscriber. */
async function eavesdrop(
  url: string,
  channel: string,
): Promise<{ heard: Mailbox; say(text: string): Promise<void> }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  const heard = new Mailbox();
  client.on('notification', ({ payload = '' }) => heard.take(payload));
  await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
  return {
    heard,
    async say(text) {
      await client.query('SELECT pg_notify($1, $2)', [channel, text]);
    },
  };
}
