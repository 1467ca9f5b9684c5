import { randomBytes } from 'node:crypto';
import { afterAll, inject } from 'vitest';
import { execute } from './execute.ts';

export const TEMPLATE = 'chatd_template';

/** Removes the pauses between the words of the demo model. */
export const INSTANT_DEMO = `UPDATE providers SET options = '{"pace": "instant"}' WHERE type = 'demo'`;

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL server of the run. Tests create their own databases on it. */
    postgresUrl: string;
  }
}

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/**
 * Creates a migrated database that is dropped at the end of the test file. Pass vitest's `onTestFinished` to drop it at
 * the end of the test.
 */
export async function createTestDatabase(
  atEnd: (drop: () => Promise<void>) => void = afterAll,
): Promise<TestDatabase> {
  const database = await createDatabase(inject('postgresUrl'), TEMPLATE);
  atEnd(() => database.drop());
  return database;
}

export async function createDatabase(
  serverUrl: string,
  template: string = 'template1',
): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await execute(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return {
    url: withDatabase(serverUrl, name),
    async drop() {
      await execute(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

export function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
