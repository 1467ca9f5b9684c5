import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { execute } from '@chatd/test-server/database';
import { eventually } from '@chatd/test-server/eventually';
import { startTestServer } from '@chatd/test-server';

const CONNECTIONS = 3;

const server = await startTestServer({ databaseConnections: CONNECTIONS });
const { databaseUrl, owner, url } = server;

test('a server whose regular connections are all busy is ready, and continues when they are free', async () => {
  const blocker = new Client({ connectionString: databaseUrl });
  await blocker.connect();
  onTestFinished(() => blocker.end());
  await blocker.query('BEGIN');
  await blocker.query('LOCK TABLE chats IN ACCESS EXCLUSIVE MODE');
  const lists = Promise.allSettled(
    Array.from({ length: CONNECTIONS }, () => owner.ok('listChats')),
  );
  await eventually(async () => {
    const waiting = await execute(
      databaseUrl,
      `SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM chats%'`,
    );
    expect(waiting).toHaveLength(CONNECTIONS);
  });
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  await blocker.query('ROLLBACK');
  expect((await lists).map(({ status }) => status)).toEqual(Array(CONNECTIONS).fill('fulfilled'));
});
