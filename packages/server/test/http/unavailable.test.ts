import { rm } from 'node:fs/promises';
import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Chatd, startChatd } from '../../src/app.ts';
import { createLog } from '../../src/log.ts';
import { startEmbeddedPostgres } from '../../src/postgres/index.ts';
import { createTestDatabase } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { makeTemporaryDirectory } from '@chatd/test-server/temporary-directory';
import { ADMIN_TOKEN, ApiClient, config } from '@chatd/test-server';

const METRICS_TOKEN = 'test-metrics-token-0123456789';

// Processes and databases start from scratch, possibly on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const log = createLog({ level: 'silent', secrets: [], readable: false, write: () => undefined });

test('startup fails if the database stays unreachable, and immediately if it refuses the connection', async () => {
  const start = (databaseUrl: string) =>
    startChatd(config({ databaseUrl }), { log, databasePatienceMs: 0 });
  await expect(start('postgresql://u:secret-word@127.0.0.1:1/none')).rejects.toMatchObject({
    kind: 'database_unreachable',
    message: expect.stringMatching(/^(?!.*secret-word).*127\.0\.0\.1:1\/none cannot be reached/),
    hint: expect.stringContaining('CHATD_DATABASE_URL'),
  });
  const { url } = await createTestDatabase(onTestFinished);
  const missing = new URL(url);
  missing.pathname = '/no_such_database';
  await expect(startChatd(config({ databaseUrl: missing.href }), { log })).rejects.toMatchObject({
    kind: 'database_unreachable',
    message: expect.stringContaining('Authentication to the database at'),
  });
});

test('while the database is unavailable, calls return 503 and metrics report it, then service resumes', async () => {
  const dataDir = await makeTemporaryDirectory();
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  let postgres = await startEmbeddedPostgres({ dataDir });
  onTestFinished(() => postgres.stop());
  const { url: databaseUrl } = postgres;
  const chatd = await startChatd(config({ databaseUrl, metricsToken: METRICS_TOKEN }), { log });
  onTestFinished(() => chatd.close());
  const client = new ApiClient(chatd.url, { authorization: `Bearer ${ADMIN_TOKEN}` });
  await client.ok('createChat', { body: { content: 'before' } });
  await eventually(async () => expect(await scrape(chatd)).toMatch(/^chatd_database_up 1$/m));

  await postgres.stop();
  for (const name of ['listChats', 'listTokens', 'getSettings'] as const) {
    const problem = await client.refused(name);
    expect(problem).toMatchObject({ status: 503, code: 'unavailable' });
    expect(Number(problem.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(JSON.stringify(problem)).not.toMatch(/ECONN|ENOENT|SELECT|socket|postgres/i);
  }
  const headers = { 'idempotency-key': 'k' };
  expect(await client.refusal('createChat', { body: { content: 'lost' }, headers })).toBe(
    '503 unavailable',
  );
  expect((await client.send('GET', '/healthz')).status).toBe(200);
  expect((await client.send('GET', '/readyz')).status).toBe(503);
  expect(await scrape(chatd)).toMatch(/^chatd_database_up 0$/m);
  // Other tokens need the database. Their users are cached for a second.
  await eventually(async () => expect((await client.send('GET', '/metrics')).status).toBe(503));

  postgres = await startEmbeddedPostgres({ dataDir });
  const { chats } = await client.ok('listChats');
  expect(chats.map(({ title }) => title)).toEqual(['before']);
  expect((await client.send('GET', '/readyz')).status).toBe(200);
  await eventually(async () => expect(await scrape(chatd)).toMatch(/^chatd_database_up 1$/m));
});

test('metrics do not wait for a busy database', async () => {
  const { url: databaseUrl } = await createTestDatabase(onTestFinished);
  const chatd = await startChatd(config({ databaseUrl, metricsToken: METRICS_TOKEN }), { log });
  onTestFinished(() => chatd.close());
  // Counting chats waits for this lock.
  const locker = new Client({ connectionString: databaseUrl });
  await locker.connect();
  await locker.query('BEGIN; LOCK TABLE chats IN ACCESS EXCLUSIVE MODE');
  expect(await scrape(chatd)).not.toMatch(/^chatd_chats(?:_queued_for_capacity)?[{ ]/m);
  await locker.end();
  await eventually(async () => {
    const metrics = await scrape(chatd);
    expect(metrics).toMatch(/^chatd_chats\{status="waiting"\} 0$/m);
    expect(metrics).toMatch(/^chatd_chats_queued_for_capacity 0$/m);
  });
});

async function scrape({ url }: Chatd): Promise<string> {
  const client = new ApiClient(url, { authorization: `Bearer ${METRICS_TOKEN}` });
  const { status, text } = await client.send('GET', '/metrics');
  expect(status).toBe(200);
  return text;
}
