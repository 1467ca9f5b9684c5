import { rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/postgres/index.ts';
import { migrate } from '../../src/store/migrate.ts';
import { TEMPLATE, withDatabase } from './database.ts';
import { startExternalPostgres } from './external-postgres.ts';
import { query } from './sql.ts';
import { makeTemporaryDirectory, removeAbandonedRuns } from './temporary-directory.ts';

/** Nothing here has to survive a power cut, and the machine has better things to do than to wait for its disk. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
};

/** One PostgreSQL for the whole run, with a migrated template that each test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeAbandonedRuns();
  const server = await startServer();
  try {
    await query(server.url, `CREATE DATABASE ${TEMPLATE}`);
    await migrate(withDatabase(server.url, TEMPLATE));
  } catch (error) {
    await server.stop();
    throw error;
  }
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}

async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  if (process.env['CHATD_TEST_POSTGRES'] === 'external') {
    return startExternalPostgres({ settings: SETTINGS });
  }
  const dataDir = await makeTemporaryDirectory();
  const server = await startEmbeddedPostgres({ dataDir, settings: SETTINGS });
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
