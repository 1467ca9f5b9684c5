import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startServerOn } from '@chatd/test-server';
import { createTestDatabase } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import {
  fetchNewerPgBouncer,
  type FetchedPgBouncer,
  noNewerPgBouncer,
} from '../support/newer-pgbouncer.ts';
import { startPgBouncer } from '@chatd/test-server/programs';

const impossible = noNewerPgBouncer();
const which = impossible ?? "Debian's";

describe.skipIf(impossible !== undefined)(`PgBouncer 1.21 and newer (${which})`, () => {
  let fetched: FetchedPgBouncer;
  beforeAll(async () => {
    fetched = await fetchNewerPgBouncer();
  }, 600_000);
  afterAll(() => fetched?.remove());

  test.each([0, 1])(
    'in transaction mode with max_prepared_statements, round robin %i, runs chats',
    async (server_round_robin) => {
      const { url: databaseDirectUrl } = await createTestDatabase(onTestFinished);
      // Fewer server connections than clients, so that clients share them.
      const settings = { default_pool_size: 5, max_prepared_statements: 200, server_round_robin };
      const pooler = await startPgBouncer(
        databaseDirectUrl,
        { pool_mode: 'transaction', ...settings },
        fetched.command,
      );
      onTestFinished(() => pooler.stop());
      const server = await startServerOn(pooler.url, { databaseDirectUrl, concurrency: 8 });
      onTestFinished(() => server.close());
      const chats = await Promise.all(
        Array.from({ length: 8 }, () =>
          server.admin.ok('createChat', { body: { content: 'use a tool' } }),
        ),
      );
      for (const { id } of chats) {
        await eventually(async () => {
          const { status } = await server.admin.ok('getChat', { params: { chat_id: id } });
          expect(status).toBe('waiting');
        });
      }
      expect(server.logged.filter((line) => /prepared statement/.test(line))).toEqual([]);
    },
  );

  test('in transaction mode with max_prepared_statements = 0 is refused', async () => {
    const { url } = await createTestDatabase(onTestFinished);
    const pooler = await startPgBouncer(
      url,
      { pool_mode: 'transaction', max_prepared_statements: 0 },
      fetched.command,
    );
    onTestFinished(() => pooler.stop());
    await expect(startServerOn(pooler.url, {}, { databasePatienceMs: 0 })).rejects.toMatchObject({
      kind: 'database_unsupported',
    });
  });
});
