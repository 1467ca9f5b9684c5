import { rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../server/src/postgres/index.ts';
import { migrate } from '../../server/src/store/migrate/migrate.ts';
import { INSTANT_DEMO, TEMPLATE, withDatabase } from './database/database.ts';
import { startExternalPostgres } from './programs/external-postgres.ts';
import { execute } from './database/execute.ts';
import {
  endServersIn,
  makeTemporaryDirectory,
  removeAbandonedRuns,
} from './temporary-directory.ts';

/** Test data does not need to survive a crash, so PostgreSQL does not wait for the disk. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
};

/** One PostgreSQL for the whole run, with a migrated template that each test file clones. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeAbandonedRuns();
  const start = process.env['CHATD_TEST_POSTGRES'] === 'external' ? external : embedded;
  const server = await start();
  const forget = removeAtExit(server.directory);
  const end = async (): Promise<void> => {
    forget();
    await server.stop();
  };
  try {
    await execute(server.url, `CREATE DATABASE ${TEMPLATE}`);
    const template = withDatabase(server.url, TEMPLATE);
    await migrate(template);
    await execute(template, INSTANT_DEMO);
  } catch (error) {
    await end();
    throw error;
  }
  project.provide('postgresUrl', server.url);
  return end;
}

interface RunServer {
  readonly url: string;
  readonly directory: string;
  stop(): Promise<void>;
}

function external(): Promise<RunServer> {
  return startExternalPostgres({ settings: SETTINGS });
}

async function embedded(): Promise<RunServer> {
  const directory = await makeTemporaryDirectory();
  const server = await startEmbeddedPostgres({ dataDir: directory, settings: SETTINGS });
  return {
    url: server.url,
    directory,
    async stop() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** An interrupted run exits without its teardown, so this cleanup is synchronous. */
function removeAtExit(directory: string): () => void {
  const atExit = (): void => endServersIn(directory);
  process.on('exit', atExit);
  for (const signal of Object.keys(SIGNALS)) process.on(signal, atSignal);
  return () => {
    process.off('exit', atExit);
    for (const signal of Object.keys(SIGNALS)) process.off(signal, atSignal);
  };
}

function atSignal(signal: keyof typeof SIGNALS): void {
  process.exit(128 + SIGNALS[signal]);
}
